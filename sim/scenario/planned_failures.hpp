#pragma once

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Whether any host may fail or joins late.
bool has_failures(const ClusterPlan& plan);
/// Everybody is there from the start to the end.
void remove_failures(ClusterPlan& plan);

}  // namespace motley
