#pragma once

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Refuses background traffic that for ever sends more through a link than the link carries: what is
/// not through would pile up without end, and the algorithm's share would go to nothing. `place`: of the
/// list. Of a platform file, whose routes are SimGrid's, nothing is known here.
void check_traffic_load(const ClusterPlan& plan, const Place& place);

}  // namespace motley
