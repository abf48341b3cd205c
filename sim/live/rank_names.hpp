#pragma once

#include <cstddef>
#include <string>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What runs as this rank: a worker, a server, or "spare rank" where there are more ranks than these.
std::string host_of_rank(const ClusterPlan& cluster, std::size_t rank);

/// Such as "gpu-1 (rank 1)".
std::string name_of_rank(const ClusterPlan& cluster, std::size_t rank);

}  // namespace motley
