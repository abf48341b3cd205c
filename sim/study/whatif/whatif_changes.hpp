#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/study/experiment.hpp"

namespace motley {

/// What a change may touch: all that decides the times of a run beside its algorithm.
struct ChangedCluster {
  ClusterPlan plan;
  double flops_per_update = 0;
  std::uint64_t message_bytes = 0;
};

/// One thing of the cluster changed, all else as it is.
struct Change {
  std::string name;                            ///< as in whatif.csv
  std::function<void(ChangedCluster&)> apply;  ///< empty when it cannot be made
  std::string why_not = {};
};

/// as_is, and what is worth asking of this cluster; a change that would change nothing is not:
///   bandwidth_x2         of all links
///   server_bandwidth_x2  of the servers' links
///   no_latency           on any link
///   compute_x2           the speed of all workers and servers
///   speed_x2:CLASS       of the workers of one class, when there are several; and of CLASS/slower,
///                        those below the geometric mean of its slowest and fastest, when they differ
///   server_speed_x2      when updates take time
///   no_noise             every step takes its class's time
///   no_changes           speeds and bandwidths stay what they are at first, without others' traffic
///   no_failures          everybody is there from the start to the end
///   without:CLASS        without the workers of the slowest class; or, when it is the only one, of
///                        CLASS/slower
std::vector<Change> changes_for(const Experiment& experiment, bool uses_server);

}  // namespace motley
