#pragma once

#include <vector>

#include "sim/live/run_log.hpp"
#include "sim/results/run_result.hpp"

namespace motley {

/// Where computations took longer than they were to.
void warn_of_overruns(const std::vector<RunLog>& logs, RunResult& result);

/// Where messages were larger than the scenario says.
void warn_of_large_messages(const std::vector<RunLog>& logs, RunResult& result);

}  // namespace motley
