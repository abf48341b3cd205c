#pragma once

#include <string>

#include "sim/results/run_result.hpp"

namespace motley {

/// "compute 48 %, transfer 23 %, wait 29 % (slowest class: cpu); busiest link server_up 15 %": where
/// the workers' time went. What would change it is not to be seen from that.
std::string time_budget(const RunResult& result);

}  // namespace motley
