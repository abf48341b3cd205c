#include "sim/scenario/cluster_plan.hpp"

#include <cctype>

namespace motley {

ClusterPlan plan_cluster(const ClusterSpec& spec, double flops_per_sample, std::uint64_t seed) {
  ClusterPlan plan;
  for (std::size_t k = 0; k < spec.workers.size(); ++k) {
    const WorkerClassSpec& worker = spec.workers[k];
    const double speed =
        worker.speed_flops ? *worker.speed_flops : *worker.samples_per_s * flops_per_sample;
    const LinkSpec link = worker.link ? *worker.link : *spec.link;
    const NoiseSpec noise = worker.noise.value_or(spec.noise.value_or(NoiseSpec{}));
    const std::vector<double> relative =
        worker.spread
            ? spread_speeds(*worker.spread, worker.count, seed, static_cast<std::uint32_t>(k))
            : std::vector<double>(worker.count, 1);
    for (std::size_t i = 0; i < worker.count; ++i) {
      plan.workers.push_back(
          {worker.name + std::to_string(i), worker.name, speed * relative[i], link, noise});
    }
  }
  const auto add_server = [&](const std::string& name, const ServerSpec& server) {
    plan.servers.push_back(
        {name, "server", server.speed_flops, server.link ? *server.link : *spec.link, {}});
  };
  if (spec.server) add_server("server", *spec.server);
  for (const ServerClassSpec& server : spec.servers) {
    for (std::size_t i = 0; i < server.count; ++i) {
      add_server("server" + std::to_string(plan.servers.size()), server);
    }
  }
  return plan;
}

std::vector<double> worker_speeds(const ClusterPlan& plan) {
  std::vector<double> speeds;
  for (const HostPlan& worker : plan.workers) speeds.push_back(worker.speed_flops);
  return speeds;
}

bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t i_end = i;
      std::size_t j_end = j;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (j_end < b.size() && digit(b[j_end])) ++j_end;
      while (i < i_end && a[i] == '0') ++i;
      while (j < j_end && b[j] == '0') ++j;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // equal but for leading zeros
}

}  // namespace motley
