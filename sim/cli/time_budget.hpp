#pragma once

#include <string>

#include "sim/results/run_result.hpp"

namespace motley {

/// "compute 48 %, transfer 23 %, wait 29 %; busiest link server_up 15 %": where the workers' time
/// went. What would change it, whatif.csv says.
std::string time_budget(const RunResult& result);

}  // namespace motley
