#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/app/experiment.hpp"

namespace motley {

/// The table at the end: a row an algorithm and point of the sweep, whose axes are named, sorted by
/// time to target within a point. Without a sweep also one sentence an algorithm that names what
/// decides its speed.
void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<std::string>& axes, const std::vector<RunResult>& results);

/// "server_down is busy 91 % of the time: bandwidth decides here", and the like.
std::string bottleneck(const RunResult& result);

}  // namespace motley
