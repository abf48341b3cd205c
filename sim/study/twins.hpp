#pragma once

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Workers of which another one of the class has the same speed, where neither noise nor changes tell
/// them apart.
std::size_t count_twins(const ClusterPlan& cluster);

}  // namespace motley
