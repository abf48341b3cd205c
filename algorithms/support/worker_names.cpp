#include "algorithms/support/worker_names.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/json.hpp"

namespace motley {
namespace {

Json shown(const WorkerName& worker) {
  return worker.rank ? Json(*worker.rank) : Json(worker.name);
}

Json schema_of_worker() {
  return {{"anyOf", {{{"type", "string"}}, {{"type", "integer"}, {"minimum", 0}}}}};
}

std::vector<std::size_t> listed_groups(const std::vector<std::vector<WorkerName>>& lists,
                                       const RunFacts& facts, const Place& place) {
  std::vector<std::optional<std::size_t>> found(facts.workers);
  for (std::size_t group = 0; group < lists.size(); ++group) {
    for (std::size_t i = 0; i < lists[group].size(); ++i) {
      const Place here = place / group / i;
      const std::size_t rank = lists[group][i].rank_in(facts, here);
      if (found[rank]) throw InputError(here, "must not be in two groups", shown(lists[group][i]));
      found[rank] = group;
    }
  }
  std::vector<std::size_t> groups;
  for (std::size_t rank = 0; rank < facts.workers; ++rank) {
    if (!found[rank]) {
      throw InputError(place, "must put every worker into a group, but not " + facts.names[rank]);
    }
    groups.push_back(*found[rank]);
  }
  return groups;
}

}  // namespace

WorkerName WorkerName::read(const Json& value, const Place& place) {
  if (value.is_string()) return {value.get<std::string>(), std::nullopt};
  if (value.is_number_unsigned()) return {"", value.get<std::size_t>()};
  throw InputError(place, "must be the name of a worker or its rank", value);
}

JsonValue WorkerName::schema() {
  return schema_of_worker();
}

std::size_t WorkerName::rank_in(const RunFacts& facts, const Place& place) const {
  std::string suggestion;
  if (rank) {
    if (*rank < facts.workers) return *rank;
  } else {
    const auto found = std::find(facts.names.begin(), facts.names.end(), name);
    if (found != facts.names.end()) return static_cast<std::size_t>(found - facts.names.begin());
    suggestion = did_you_mean(name, facts.names);
  }
  throw InputError(
      place,
      "must be the name of a worker or a rank below " + std::to_string(facts.workers) + suggestion,
      shown(*this));
}

FieldInfo WorkerGroups::field(const char* fallback) {
  return {.name = "groups",
          .doc =
              "how many at most (there are no more than different speeds, or workers), auto (as "
              "many as maximise the Calinski-Harabasz ratio, which with noise is many), or lists "
              "of workers by name or rank: [[\"gpu-0\", \"gpu-1\"], [\"cpu-0\"]]",
          .fallback = JsonValue::parse(fallback)};
}

WorkerGroups WorkerGroups::read(const Json& value, const Place& place) {
  WorkerGroups groups;
  if (value.is_string() && value.get<std::string>() == "auto") return groups;
  if (value.is_number_integer() && value >= 1) {
    groups.count = value.get<std::size_t>();
    return groups;
  }
  if (!value.is_array() || value.empty()) {
    throw InputError(place, "must be \"auto\", a whole number of at least 1, or lists of workers",
                     value);
  }
  for (std::size_t group = 0; group < value.size(); ++group) {
    if (!value[group].is_array() || value[group].empty()) {
      throw InputError(place / group, "must be a list of at least one worker, by name or rank",
                       value[group]);
    }
    groups.lists.emplace_back();
    for (std::size_t i = 0; i < value[group].size(); ++i) {
      groups.lists.back().push_back(WorkerName::read(value[group][i], place / group / i));
    }
  }
  return groups;
}

JsonValue WorkerGroups::schema() {
  return Json{
      {"anyOf",
       {{{"const", "auto"}},
        {{"type", "integer"}, {"minimum", 1}},
        {{"type", "array"}, {"items", {{"type", "array"}, {"items", schema_of_worker()}}}}}}};
}

std::vector<std::size_t> WorkerGroups::of_workers(const RunFacts& facts, const Place& place) const {
  if (!lists.empty()) return listed_groups(lists, facts, place);
  if (!count) return {};
  if (*count == 1) return std::vector<std::size_t>(facts.workers, 0);
  if (*count < facts.workers) return {};
  std::vector<std::size_t> each(facts.workers);
  std::iota(each.begin(), each.end(), std::size_t{0});
  return each;
}

}  // namespace motley
