#pragma once

#include <cstdint>

#include "sim/results/tables/whatif_table.hpp"
#include "sim/study/whatif/whatif_changes.hpp"

namespace motley {

/// Times the first `updates` updates of an algorithm on the changed cluster: the same batches,
/// messages, costs and slow-downs as in its run, but nothing is learnt. An algorithm that knows the
/// speeds of the workers knows the changed ones. In a process of its own. InputError when the
/// algorithm cannot run there, std::runtime_error when it gets stuck.
Throughput timing_rerun(const Experiment& experiment, const RunPlan& plan, const Change& change,
                        std::uint64_t updates);

}  // namespace motley
