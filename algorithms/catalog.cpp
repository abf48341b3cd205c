#include "algorithms/catalog.hpp"

namespace motley {

const std::vector<AlgorithmInfo>& algorithm_catalog() {
  // An explicit table: objects that register themselves are dropped by linkers.
  static const std::vector<AlgorithmInfo> catalog = {
      sync_sgd(),       allreduce_sgd(),    async_sgd(),    stale_sgd(),        local_sgd(),
      grouping_sgd(),   simuparallel_sgd(), wp_sgd(),       biased_local_sgd(), od_sgd(),
      allocation_sgd(), backup_sgd(),       dc_asgd(),      ringmaster(),       scaffold(),
      fedbuff(),        diloco(),           hierarchical(), ad_psgd(),
  };
  return catalog;
}

const AlgorithmInfo& find_algorithm(const std::string& name, const Place& place) {
  return find_in(algorithm_catalog(), "algorithm", name, place);
}

}  // namespace motley
