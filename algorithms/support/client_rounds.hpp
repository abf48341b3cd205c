#pragma once

#include "algorithms/support/local_work.hpp"
#include "algorithms/support/participation.hpp"

namespace motley {

/// Rounds of workers that are drawn and take steps at home: parameters of the federated algorithms.
struct ClientRounds : LocalWork {
  Participation participation;

  /// InputError at `place` for what does not go together.
  void check(const RunFacts& facts, const Place& place) const;
  static Fields<ClientRounds> fields();
};

/// The same when the run's workers are known.
struct PlannedRounds {
  PlannedRounds(const ClientRounds& rounds, const BatchSizes& batches, const RunFacts& facts);

  LocalSteps steps;
  std::size_t drawn;       ///< S
  double steps_per_epoch;  ///< of one worker

  /// InputError at `place` when nobody can compute its steps so fast at its speed, if messages took no time.
  void check_deadline(double deadline_s, const BatchSizes& batches, const RunFacts& facts,
                      const Place& place) const;
  /// Of a round, about.
  double gradients() const { return static_cast<double>(drawn) * steps.mean(); }
};

}  // namespace motley
