#include "sim/scenario/planned_failures.hpp"

#include <algorithm>

namespace motley {

bool has_failures(const ClusterPlan& plan) {
  const auto fails = [](const HostPlan& host) { return host.failures.any(); };
  return std::ranges::any_of(plan.workers, fails) || std::ranges::any_of(plan.servers, fails);
}

void remove_failures(ClusterPlan& plan) {
  for (HostPlan& worker : plan.workers) worker.failures = {};
  for (HostPlan& server : plan.servers) server.failures = {};
}

}  // namespace motley
