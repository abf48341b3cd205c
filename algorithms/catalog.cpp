#include "algorithms/catalog.hpp"

#include "sim/core/input/text.hpp"

namespace motley {

const std::vector<AlgorithmInfo>& algorithm_catalog() {
  // An explicit table: objects that register themselves are dropped by linkers.
  static const std::vector<AlgorithmInfo> catalog = {
      sync_sgd(),         allreduce_sgd(), async_sgd(),        stale_sgd(),
      local_sgd(),        grouping_sgd(),  simuparallel_sgd(), wp_sgd(),
      biased_local_sgd(), od_sgd(),        allocation_sgd(),   backup_sgd(),
  };
  return catalog;
}

const AlgorithmInfo& find_algorithm(const std::string& name, const Place& place) {
  std::vector<std::string> names;
  std::string listed;
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    if (info.name == name) return info;
    names.push_back(info.name);
    listed += (listed.empty() ? "" : ", ") + info.name;
  }
  throw InputError(place, "unknown algorithm '" + shortened(name) + "'" +
                              did_you_mean(name, names) + ", there are: " + listed);
}

}  // namespace motley
