#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Whom the names of a scenario stand for.
struct ClusterNames {
  explicit ClusterNames(const ClusterPlan& plan) {
    for (std::size_t rank = 0; rank < plan.workers.size(); ++rank) {
      ranks[plan.workers[rank].name] = rank;
      classes[plan.workers[rank].class_name].push_back(rank);
    }
  }

  std::map<std::string, std::size_t> ranks;                 ///< of workers
  std::map<std::string, std::vector<std::size_t>> classes;  ///< the ranks of each
};

/// For "did you mean".
template <class Value>
std::vector<std::string> names_in(const std::map<std::string, Value>& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace motley
