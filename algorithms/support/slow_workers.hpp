#pragma once

#include <span>
#include <vector>

#include "algorithms/support/worker_names.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// Which workers are slow: those listed, or those below a share of the fastest speed.
struct SlowWorkers {
  double slow_below = 0;
  std::vector<WorkerName> slow;

  /// Of each worker, whose speeds are these. InputError at `place` when there is no worker of a name.
  std::vector<bool> of_workers(const RunFacts& facts, std::span<const double> speeds,
                               const Place& place) const;

  static Fields<SlowWorkers> fields();
};

}  // namespace motley
