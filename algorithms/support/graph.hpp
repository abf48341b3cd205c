#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/support/worker_names.hpp"

namespace motley {

/// Who talks to whom. A type of fields: "ring", "grid", "exponential", "complete", or edges between
/// workers by name or rank, [[0, 1], ["gpu-0", "cpu-2"]]. Every edge goes both ways.
///
///   ring         the ranks before and after
///   grid         ranks in rows of ceil(sqrt(W)): left, right, above and below, where there is one
///   exponential  ranks at distance 1, 2, 4, ... around the ring
///   complete     everybody
struct Graph {
  std::string kind = "ring";  ///< empty: edges
  std::vector<std::pair<WorkerName, WorkerName>> edges = {};

  /// InputError at `place` when an edge is none, or not everybody can be reached.
  void check(const RunFacts& facts, const Place& place) const;
  /// Of each worker, in ascending order; refuses as check does.
  std::vector<std::vector<std::size_t>> neighbours(const RunFacts& facts, const Place& place) const;
  /// Two sides such that every worker has a neighbour on the other one and the edges between the sides
  /// connect everybody: even and odd ranks, or by the distance from rank 0 where edges are given or
  /// the graph is a grid.
  std::vector<bool> sides(const std::vector<std::vector<std::size_t>>& neighbours) const;

  /// How the key "graph" of an algorithm is described.
  static FieldInfo field(const std::string& doc);
  static Graph read(const Json& value, const Place& place);
  static JsonValue schema();
};

}  // namespace motley
