#pragma once

#include <vector>

#include "sim/results/run_result.hpp"

namespace motley {

/// How finely a run's time to target is known: the time between the two evaluations of existing
/// models around it. 0 for a run that did not reach the target.
double resolution_s(const RunResult& run);

/// The mean of the runs that reached the target, as their time is.
double mean_resolution_s(const std::vector<const RunResult*>& runs);

}  // namespace motley
