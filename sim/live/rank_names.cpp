#include "sim/live/rank_names.hpp"

namespace motley {

std::string host_of_rank(const ClusterPlan& cluster, std::size_t rank) {
  const std::size_t workers = cluster.workers.size();
  if (rank < workers) return cluster.workers[rank].name;
  return rank - workers < cluster.servers.size() ? cluster.servers[rank - workers].name
                                                 : "spare rank";
}

std::string name_of_rank(const ClusterPlan& cluster, std::size_t rank) {
  return host_of_rank(cluster, rank) + " (rank " + std::to_string(rank) + ")";
}

}  // namespace motley
