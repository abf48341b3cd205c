#pragma once

#include "sim/scenario/cluster_plan.hpp"

/// What changes during a run, put into the plan of a cluster.
namespace motley {

/// Adds the changes, slow-downs, trace and traffic of the scenario to the plan. `trace`: loaded, null
/// when there is none; `place`: of the cluster. InputError for whom or what the cluster does not have.
void plan_changes(const ClusterSpec& spec, const SpeedTrace* trace, double flops_per_sample,
                  Scenario::Network network, const Place& place, ClusterPlan& plan);

/// Whether anything changes as time goes by, so that no part of a run stands for the rest.
bool changes_with_time(const ClusterPlan& plan);
/// Without all of that.
void remove_changes(ClusterPlan& plan);
/// "8 workers and 2 links change, 3 streams of background traffic"; empty when nothing does.
std::string described_changes(const ClusterPlan& plan);

}  // namespace motley
