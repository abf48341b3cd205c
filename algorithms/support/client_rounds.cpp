#include "algorithms/support/client_rounds.hpp"

#include <algorithm>
#include <limits>

#include "sim/base/format.hpp"

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

void PlannedRounds::check_deadline(double deadline_s, const BatchSizes& batches,
                                   const RunFacts& facts, const Place& place) const {
  double fastest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < facts.workers; ++i) {
    const std::size_t samples = steps.at_least(i, facts) * batches[i];
    const double flops = static_cast<double>(samples) * facts.flops_per_sample;
    fastest = std::min(fastest, flops / facts.speeds[i]);
  }
  if (deadline_s > fastest) return;
  throw InputError(
      place, "must be above " + short_duration(fastest) +
                 ", or no worker ever meets it: the fastest worker computes that long for a round");
}

}  // namespace motley
