#include "algorithms/support/gossip.hpp"

namespace motley {

Fields<GossipSpec> GossipSpec::fields(const std::string& doc) {
  Fields<GossipSpec> f;
  f.include(SgdSpec::fields());
  f.add(Graph::field(doc), &GossipSpec::graph);
  return f;
}

PlannedGossip::PlannedGossip(const GossipSpec& gossip, const RunFacts& facts)
    : neighbours(gossip.graph.neighbours(facts, {})),
      steps_per_epoch(facts.updates_per_epoch(gossip.batch_size.sum())) {}

}  // namespace motley
