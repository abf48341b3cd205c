#include "sim/study/twins.hpp"

#include <map>
#include <string>

namespace motley {

std::size_t count_twins(const ClusterPlan& cluster) {
  std::map<std::pair<std::string, double>, std::size_t> alike;
  for (const HostPlan& worker : cluster.workers) {
    if (worker.noise.law != NoiseSpec::Law::none || worker.changes) continue;
    ++alike[{worker.class_name, worker.speed_flops}];
  }
  std::size_t twins = 0;
  for (const auto& [what, count] : alike) twins += count > 1 ? count : 0;
  return twins;
}

}  // namespace motley
