#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/study/experiment.hpp"

namespace motley {

/// The table at the end: a row an algorithm and point of the sweep, whose axes are named, sorted by
/// time to target within a point. Without a sweep also one line per algorithm that says where
/// its time went.
void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<std::string>& axes, const std::vector<RunResult>& results);

/// "bottleneck: waiting for stragglers (slowest class: cpu) (compute 48 %, ...)": the largest part
/// of the workers' time that is no computation, unless three quarters are; and the busiest link
/// where it is busy more than 70 % of the time. Says where time went, not what would change it.
std::string bottleneck(const RunResult& result);

}  // namespace motley
