#pragma once

#include <map>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What a trace says of the workers of a plan, by rank; those it does not name are left out.
/// InputError at `place`, with the line, when it does not fit the cluster.
std::map<std::size_t, TracePlan> plan_trace(const TraceSpec& how, const SpeedTrace& trace,
                                            const ClusterPlan& plan, double flops_per_sample,
                                            const Place& place);

}  // namespace motley
