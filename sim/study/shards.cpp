#include "sim/study/shards.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace motley {

StudyShard parse_shard(const std::string& text) {
  constexpr std::size_t most = 100'000;
  StudyShard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!slash || count.ec != std::errc() || count.ptr != end || shard.index < 1 ||
      shard.index > shard.count || shard.count > most) {
    throw InputError("--shard: must be K/N with K from 1 to N, such as 2/8, got '" + text + "'");
  }
  return shard;
}

namespace {

/// What one shard does as a whole: a run, or a tuning and all runs that wait for it.
struct Part {
  std::vector<std::size_t> runs;
  double cost = 0;
  std::string identity;
};

std::vector<Part> parts_of(const Study& study) {
  std::vector<Part> parts;
  std::set<std::string> identities;
  std::map<std::size_t, std::size_t> part_of_unit;
  for (std::size_t i = 0; i < study.size(); ++i) {
    const std::string& identity = study.entry(i).identity();
    if (!identities.insert(identity).second) continue;
    const std::optional<std::size_t> unit = study.unit_of(i);
    const auto [part, is_new] =
        unit ? part_of_unit.try_emplace(*unit, parts.size()) : std::pair(part_of_unit.end(), true);
    if (is_new) {
      parts.push_back({{}, 0, identity});
      if (unit) {
        const TuningUnit& tuned = study.units()[*unit];
        parts.back().cost = tuned.cost * static_cast<double>(tuned.budgeted_runs());
      }
    }
    Part& here = is_new ? parts.back() : parts[part->second];
    here.runs.push_back(i);
    here.cost += study.cost(i);
  }
  return parts;
}

}  // namespace

std::size_t most_shards(const Study& study) {
  return parts_of(study).size();
}

std::vector<std::size_t> runs_of_shard(const Study& study, const StudyShard& shard) {
  std::vector<Part> parts = parts_of(study);
  // The largest first, each to the shard that has least so far. Those expected to cost the same go
  // in the random order of their digests: in the order of the plan, a shard might get all runs of
  // one algorithm, whose real cost may differ.
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    if (a.cost != b.cost) return a.cost > b.cost;
    return a.identity < b.identity;
  });
  std::vector<double> loads(shard.count);
  std::vector<std::size_t> mine;
  for (const Part& part : parts) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += part.cost;
    if (least - loads.begin() + 1 != static_cast<std::ptrdiff_t>(shard.index)) continue;
    mine.insert(mine.end(), part.runs.begin(), part.runs.end());
  }
  std::sort(mine.begin(), mine.end());
  return mine;
}

}  // namespace motley
