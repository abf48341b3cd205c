#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Warnings, with their places, of what the scenario lets happen so often beside the algorithm that a
/// run takes long: messages of others, slow-downs, steps of traces, failures. `stop_s`: the virtual time
/// at which a run stops at the latest, if it does by time.
std::vector<std::string> pace_warnings(const ClusterSpec& spec, const ClusterPlan& plan,
                                       const std::optional<double>& stop_s);

}  // namespace motley
