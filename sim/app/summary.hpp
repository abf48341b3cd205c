#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/app/experiment.hpp"

namespace motley {

/// The table at the end of a run, sorted by time to target, and one sentence a run that names what
/// decides its speed.
void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<RunResult>& results);

/// "server_down is busy 91 % of the time: bandwidth decides here", and the like.
std::string bottleneck(const RunResult& result);

}  // namespace motley
