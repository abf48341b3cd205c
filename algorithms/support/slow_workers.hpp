#pragma once

#include <vector>

#include "algorithms/support/worker_names.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// Which workers are slow: those listed, or those below a share of the fastest speed.
struct SlowWorkers {
  double slow_below = 0;
  std::vector<WorkerName> slow;

  /// Of each worker. InputError at `place` when there is no worker of a name.
  std::vector<bool> of_workers(const RunFacts& facts, const Place& place) const;

  static Fields<SlowWorkers> fields();
};

}  // namespace motley
