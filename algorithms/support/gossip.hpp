#pragma once

#include <string>
#include <vector>

#include "algorithms/support/graph.hpp"
#include "sim/learning/rules/update_rule.hpp"

namespace motley {

/// Parameters of algorithms in which every worker has a model of its own and talks with its neighbours.
struct GossipSpec : SgdSpec {
  Graph graph;

  /// InputError at `place` for a graph that cannot be.
  void check(const RunFacts& facts, const Place& place) const {
    graph.check(facts, place / "graph");
  }
  /// `doc`: what the edges are for.
  static Fields<GossipSpec> fields(const std::string& doc);
};

/// The same when the run's workers are known.
struct PlannedGossip {
  PlannedGossip(const GossipSpec& gossip, const RunFacts& facts);

  std::vector<std::vector<std::size_t>> neighbours;  ///< by rank
  double steps_per_epoch;                            ///< of one worker
};

}  // namespace motley
