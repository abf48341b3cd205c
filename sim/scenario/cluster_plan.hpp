#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace motley {

struct HostPlan {
  std::string name;
  std::string class_name;
  double speed_flops = 0;  ///< of a worker of a platform file: counts instead of the file's
  LinkSpec link;           ///< not used with a platform file
  NoiseSpec noise;         ///< of a worker
};

/// The cluster host by host; the index of a worker is its rank.
struct ClusterPlan {
  std::vector<HostPlan> workers;
  std::vector<HostPlan> servers;
  std::string platform_file;  ///< empty: every host hangs on one switch by its link
  bool no_latency = false;    ///< whatever the platform file says
};

/// Expands the classes and their spreads. For clusters without a platform file.
ClusterPlan plan_cluster(const ClusterSpec& spec, double flops_per_sample, std::uint64_t seed);

/// The speeds of the workers, by rank.
std::vector<double> worker_speeds(const ClusterPlan& plan);

/// Whether `a` comes before `b` when digits count as numbers: h2 before h10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace motley
