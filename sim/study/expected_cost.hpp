#pragma once

#include "sim/study/experiment.hpp"

namespace motley {

/// How much work a run is expected to be at most, in flops: every gradient of its budget, what the
/// simulation of a gradient costs, and the evaluations. For balancing and for the time left.
double expected_cost(const Experiment& experiment, const RunPlan& plan);

}  // namespace motley
