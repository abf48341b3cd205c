#include "sim/study/whatif/whatif_changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "sim/scenario/planned_changes.hpp"
#include "sim/scenario/planned_failures.hpp"

namespace motley {
namespace {

void speed_up(std::vector<HostPlan>& hosts) {
  for (HostPlan& host : hosts) host.speed_flops *= 2;
}

/// The workers of a class, or those that are slower than the middle of its speeds.
struct WorkerGroup {
  std::string name;
  std::string class_name;
  double below_flops = HUGE_VAL;

  bool has(const HostPlan& worker) const {
    return worker.class_name == class_name && worker.speed_flops < below_flops;
  }
};

void speed_up(std::vector<HostPlan>& workers, const WorkerGroup& group) {
  for (HostPlan& worker : workers) {
    if (group.has(worker)) worker.speed_flops *= 2;
  }
}

void widen(LinkSpec& link) {
  link.bandwidth.up_Bps *= 2;
  link.bandwidth.down_Bps *= 2;
}

void widen_servers(ChangedCluster& c) {
  for (HostPlan& server : c.plan.servers) widen(server.link);
}

bool is_platform(const ClusterPlan& plan) {
  return !plan.platform_file.empty();
}

void double_bandwidth(ChangedCluster& c) {
  if (is_platform(c.plan)) {
    // Half the bytes take the time that all of them take on links twice as wide, and go on doing so
    // when a profile changes a bandwidth.
    c.message_bytes = (c.message_bytes + 1) / 2;
    for (TrafficPlan& stream : c.plan.traffic) stream.spec.size.halve();
    return;
  }
  for_each_link(c.plan, widen);
}

void remove_latency(ChangedCluster& c) {
  c.plan.no_latency = true;
  for_each_link(c.plan, [](LinkSpec& link) { link.latency_s = 0; });
}

void double_server_speed(ChangedCluster& c) {
  if (is_platform(c.plan))
    c.flops_per_update /= 2;
  else
    speed_up(c.plan.servers);
}

bool has_latency(const ClusterPlan& plan) {
  bool late = is_platform(plan);
  for_each_link(plan, [&late](const LinkSpec& link) { late = late || link.latency_s > 0; });
  return late;
}

bool is_on_node(const HostPlan& host) {
  return host.node.has_value();
}

bool has_noise(const ClusterPlan& plan) {
  return std::ranges::any_of(plan.workers, [](const HostPlan& worker) {
    return worker.noise.law != NoiseSpec::Law::none;
  });
}

/// In the order of their first workers; after each class that spreads its speeds, the slower part of
/// it: node/slower, below the geometric mean of its slowest and fastest.
std::vector<WorkerGroup> groups_of(const ClusterPlan& plan) {
  std::vector<std::string> classes;
  std::map<std::string, std::pair<double, double>> extremes;
  for (const HostPlan& worker : plan.workers) {
    const auto [known, is_new] =
        extremes.try_emplace(worker.class_name, std::pair(worker.speed_flops, worker.speed_flops));
    if (is_new) classes.push_back(worker.class_name);
    known->second.first = std::min(known->second.first, worker.speed_flops);
    known->second.second = std::max(known->second.second, worker.speed_flops);
  }
  std::vector<WorkerGroup> groups;
  for (const std::string& name : classes) {
    const auto [slowest, fastest] = extremes[name];
    if (classes.size() > 1) groups.push_back({name, name});  // a single one is compute_x2
    if (fastest > (1 + 1e-9) * slowest) {
      groups.push_back({name + "/slower", name, std::sqrt(slowest) * std::sqrt(fastest)});
    }
  }
  return groups;
}

/// By mean speed, or the slower part of the only class; nobody when several are equally slow.
std::optional<WorkerGroup> slowest_group(const ClusterPlan& plan,
                                         const std::vector<WorkerGroup>& groups) {
  std::map<std::string, std::pair<double, double>> sums;  // of speeds, and how many
  for (const HostPlan& worker : plan.workers) {
    sums[worker.class_name].first += worker.speed_flops;
    sums[worker.class_name].second += 1;
  }
  std::vector<std::pair<double, std::string>> means;
  for (const auto& [name, sum] : sums) means.emplace_back(sum.first / sum.second, name);
  std::ranges::sort(means);
  if (means.size() == 1 && !groups.empty()) return groups.front();
  if (means.size() == 1 || means[0].first == means[1].first) return std::nullopt;
  return WorkerGroup{means[0].second, means[0].second};
}

}  // namespace

std::vector<Change> changes_for(const Experiment& experiment, bool uses_server) {
  const ClusterPlan& plan = experiment.cluster();
  const bool fluid = experiment.scenario().network == Scenario::Network::fluid;
  std::vector<Change> changes = {{"as_is", [](ChangedCluster&) {}}};
  if (is_platform(plan) && !fluid) {
    changes.push_back({"bandwidth_x2", {}, "not with a platform file and the network tcp"});
  } else {
    changes.push_back({"bandwidth_x2", double_bandwidth});
  }
  if (uses_server && is_platform(plan)) {
    changes.push_back({"server_bandwidth_x2",
                       {},
                       "a platform file does not say which of its links are the server's"});
  } else if (uses_server && std::ranges::any_of(plan.servers, is_on_node)) {
    changes.push_back(
        {"server_bandwidth_x2", {}, "a server that is on a node has no link of its own"});
  } else if (uses_server) {
    changes.push_back({"server_bandwidth_x2", widen_servers});
  }
  if (has_latency(plan)) changes.push_back({"no_latency", remove_latency});
  changes.push_back({"compute_x2", [](ChangedCluster& c) {
                       speed_up(c.plan.workers);
                       double_server_speed(c);
                     }});
  const std::vector<WorkerGroup> groups = groups_of(plan);
  for (const WorkerGroup& group : groups) {
    changes.push_back({"speed_x2:" + group.name,
                       [group](ChangedCluster& c) { speed_up(c.plan.workers, group); }});
  }
  if (uses_server && experiment.scenario().cost.flops_per_update > 0) {
    changes.push_back({"server_speed_x2", double_server_speed});
  }
  if (has_noise(plan)) {
    changes.push_back({"no_noise", [](ChangedCluster& c) {
                         for (HostPlan& worker : c.plan.workers) worker.noise = {};
                       }});
  }
  if (changes_with_time(plan)) {
    changes.push_back({"no_changes", [](ChangedCluster& c) { remove_changes(c.plan); }});
  }
  if (has_failures(plan)) {
    changes.push_back({"no_failures", [](ChangedCluster& c) { remove_failures(c.plan); }});
  }
  if (const std::optional<WorkerGroup> slowest = slowest_group(plan, groups)) {
    changes.push_back({"without:" + slowest->name, [group = *slowest](ChangedCluster& c) {
                         std::erase_if(c.plan.workers,
                                       [&](const HostPlan& worker) { return group.has(worker); });
                       }});
  }
  return changes;
}

}  // namespace motley
