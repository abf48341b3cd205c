#pragma once

#include <cstdint>

#include "sim/study/whatif_changes.hpp"

namespace motley {

/// How fast an algorithm makes its first so many updates, from the start of the run.
struct Throughput {
  std::uint64_t updates = 0;
  std::uint64_t samples = 0;
  double virtual_s = 0;

  double updates_per_s() const { return static_cast<double>(updates) / virtual_s; }
  double samples_per_s() const { return static_cast<double>(samples) / virtual_s; }
};

/// Times the first `updates` updates of an algorithm on the changed cluster: the same batches,
/// messages, costs and slow-downs as in its run, but nothing is learnt. An algorithm that knows the
/// speeds of the workers knows the changed ones. In a process of its own. InputError when the
/// algorithm cannot run there, std::runtime_error when it gets stuck.
Throughput timing_rerun(const Experiment& experiment, const RunPlan& plan, const Change& change,
                        std::uint64_t updates);

}  // namespace motley
