#pragma once

#include "sim/results/run_result.hpp"

namespace motley {

/// How finely a run's time to target is known: the time between the two evaluations of existing
/// models around it. 0 for a run that did not reach the target.
double resolution_s(const RunResult& run);

}  // namespace motley
