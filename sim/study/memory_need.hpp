#pragma once

#include <string>

#include "sim/study/experiment.hpp"

namespace motley {

/// About how much memory a run takes at its peak.
struct MemoryNeed {
  double bytes = 0;
  Place place;       ///< of what takes most of it
  std::string what;  ///< "sync with 10000000 workers"
};

/// A low estimate: nothing is refused that could be run.
MemoryNeed memory_need_of(const Experiment& experiment, const RunPlan& plan);

/// InputError when this machine does not have that much.
void check_fits_memory(const MemoryNeed& need);

}  // namespace motley
