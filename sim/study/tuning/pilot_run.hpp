#pragma once

#include <optional>

#include "sim/study/experiment.hpp"

namespace motley {

/// How many seconds the whole run would take here, in one thread, as its first moments tell: it is
/// done for half a second in a process of its own, which then is ended. Empty when it had nothing to
/// tell by then. A run that reaches its target and stops takes less.
std::optional<double> pilot_seconds(const Experiment& experiment, const RunPlan& plan);

}  // namespace motley
