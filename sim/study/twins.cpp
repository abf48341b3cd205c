#include "sim/study/twins.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace motley {

std::size_t count_twins(const ClusterPlan& cluster) {
  std::vector<std::pair<std::string_view, double>> looks;
  for (const HostPlan& worker : cluster.workers) {
    if (worker.noise.law != NoiseSpec::Law::none || worker.changes) continue;
    looks.emplace_back(worker.class_name, worker.speed_flops);
  }
  std::ranges::sort(looks);
  std::size_t twins = 0;
  for (auto one = looks.begin(); one != looks.end();) {
    const auto next = std::upper_bound(one, looks.end(), *one);
    if (next - one > 1) twins += static_cast<std::size_t>(next - one);
    one = next;
  }
  return twins;
}

}  // namespace motley
