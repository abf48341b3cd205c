#include "algorithms/support/graph.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"

namespace motley {
namespace {

using Neighbours = std::vector<std::vector<std::size_t>>;

const std::vector<std::string>& kinds_of_graphs() {
  static const std::vector<std::string> kinds = {"ring", "grid", "exponential", "complete"};
  return kinds;
}

/// Edges from each worker to some others; both directions are added.
template <class Others>
Neighbours undirected(std::size_t workers, const Others& others) {
  Neighbours neighbours(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    for (const std::size_t j : others(i)) {
      if (i == j) continue;
      neighbours[i].push_back(j);
      neighbours[j].push_back(i);
    }
  }
  for (std::vector<std::size_t>& of : neighbours) {
    std::ranges::sort(of);
    of.erase(std::unique(of.begin(), of.end()), of.end());
  }
  return neighbours;
}

std::vector<std::size_t> others_of(const std::string& kind, std::size_t i, std::size_t workers) {
  std::vector<std::size_t> others;
  if (kind == "ring") others.push_back((i + 1) % workers);
  if (kind == "grid") {
    const auto row = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(workers))));
    if ((i + 1) % row != 0 && i + 1 < workers) others.push_back(i + 1);
    if (i + row < workers) others.push_back(i + row);
  }
  for (std::size_t d = 1; kind == "exponential" && d < workers; d *= 2) {
    others.push_back((i + d) % workers);
  }
  for (std::size_t j = i + 1; kind == "complete" && j < workers; ++j) others.push_back(j);
  return others;
}

/// How many edges each worker is from rank 0; W for those that cannot be reached.
std::vector<std::size_t> distances(const Neighbours& neighbours) {
  std::vector<std::size_t> distance(neighbours.size(), neighbours.size());
  std::vector<std::size_t> reached = {0};
  distance[0] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const std::size_t j : neighbours[reached[next]]) {
      if (distance[j] < neighbours.size()) continue;
      distance[j] = distance[reached[next]] + 1;
      reached.push_back(j);
    }
  }
  return distance;
}

}  // namespace

FieldInfo Graph::field(const std::string& doc) {
  return {.name = "graph",
          .doc = doc +
                 ": ring, grid (rows of ceil(sqrt(W))), exponential (ranks 1, 2, 4, ... apart), "
                 "complete, or edges between workers by name or rank: [[0, 1], [\"gpu-0\", "
                 "\"cpu-2\"]]",
          .fallback = "ring"};
}

Graph Graph::read(const Json& value, const Place& place) {
  const auto& kinds = kinds_of_graphs();
  if (value.is_string()) {
    const auto kind = value.get<std::string>();
    if (std::ranges::find(kinds, kind) != kinds.end()) return {kind, {}};
    throw InputError(
        place,
        "must be ring, grid, exponential, complete, or a list of edges" + did_you_mean(kind, kinds),
        value);
  }
  if (!value.is_array() || value.empty()) {
    throw InputError(place, "must be ring, grid, exponential, complete, or a list of edges", value);
  }
  Graph graph{"", {}};
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_array() || value[i].size() != 2) {
      throw InputError(place / i, "must be a pair of workers, by name or rank", value[i]);
    }
    graph.edges.emplace_back(WorkerName::read(value[i][0], place / i / std::size_t{0}),
                             WorkerName::read(value[i][1], place / i / std::size_t{1}));
  }
  return graph;
}

JsonValue Graph::schema() {
  const Json worker = *WorkerName::schema();
  return Json{
      {"anyOf",
       {{{"enum", kinds_of_graphs()}},
        {{"type", "array"},
         {"items", {{"type", "array"}, {"items", worker}, {"minItems", 2}, {"maxItems", 2}}}}}}};
}

Neighbours Graph::neighbours(const RunFacts& facts, const Place& place) const {
  if (!kind.empty()) {
    return undirected(facts.workers,
                      [&](std::size_t i) { return others_of(kind, i, facts.workers); });
  }
  Neighbours given(facts.workers);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Place here = place / e;
    const std::size_t from = edges[e].first.rank_in(facts, here / std::size_t{0});
    const std::size_t to = edges[e].second.rank_in(facts, here / std::size_t{1});
    if (from == to) throw InputError(here, "must be a pair of different workers");
    given[from].push_back(to);
  }
  Neighbours neighbours = undirected(facts.workers, [&](std::size_t i) { return given[i]; });
  const std::vector<std::size_t> distance = distances(neighbours);
  const auto apart = std::ranges::find(distance, facts.workers);
  if (apart != distance.end()) {
    throw InputError(place, "must connect all workers, but there is no way from " + facts.names[0] +
                                " to " +
                                facts.names[static_cast<std::size_t>(apart - distance.begin())]);
  }
  return neighbours;
}

void Graph::check(const RunFacts& facts, const Place& place) const {
  if (kind.empty()) neighbours(facts, place);
}

std::vector<bool> Graph::sides(const Neighbours& neighbours) const {
  std::vector<bool> side;
  const bool by_distance = kind.empty() || kind == "grid";
  const std::vector<std::size_t> distance =
      by_distance ? distances(neighbours) : std::vector<std::size_t>();
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    side.push_back((by_distance ? distance[i] : i) % 2 == 1);
  }
  return side;
}

}  // namespace motley
