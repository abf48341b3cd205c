#pragma once

#include <string>

#include "sim/results/run_result.hpp"

namespace motley {

/// "bottleneck: waiting for stragglers (slowest class: cpu) (compute 48 %, ...)": the largest part
/// of the workers' time that is no computation, unless three quarters are; and the busiest link
/// where it is busy more than 70 % of the time. Says where time went, not what would change it.
std::string bottleneck(const RunResult& result);

}  // namespace motley
