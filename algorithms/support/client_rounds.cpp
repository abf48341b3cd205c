#include "algorithms/support/client_rounds.hpp"

namespace motley {

Fields<ClientRounds> ClientRounds::fields() {
  Fields<ClientRounds> f;
  f.include(LocalWork::fields());
  f.add(Participation::of_a_round(), &ClientRounds::participation);
  return f;
}

void ClientRounds::check(const RunFacts& facts, const Place& place) const {
  participation.check(facts.workers, place / "participation");
  LocalWork::check(place);
}

PlannedRounds::PlannedRounds(const ClientRounds& rounds, const BatchSizes& batches,
                             const RunFacts& facts)
    : steps(rounds, batches, facts),
      drawn(rounds.participation.of(facts.workers)),
      steps_per_epoch(facts.updates_per_epoch(batches.sum())) {}

}  // namespace motley
