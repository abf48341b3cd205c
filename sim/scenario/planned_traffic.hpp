#pragma once

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Adds to the plan a stream of messages for every host that sends, or receives from outside.
/// InputError for whom the cluster does not have. `place`: of the list.
void plan_traffic(const std::vector<TrafficSpec>& traffic, const Place& place, ClusterPlan& plan);

/// Whether any of it comes from outside or goes there.
bool has_traffic_outside(const ClusterPlan& plan);

}  // namespace motley
