#include "sim/vocabulary/run_facts.hpp"

#include <algorithm>
#include <numeric>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

std::vector<double> RunFacts::speeds_at(std::span<const std::size_t> batches) const {
  if (step_times.empty()) return speeds;
  std::vector<double> at;
  for (std::size_t i = 0; i < workers; ++i) {
    const auto& [speed_flops, step] = step_times[i];
    at.push_back(step.speed_at(batches[i], speed_flops, flops_per_sample));
  }
  return at;
}

double RunFacts::fastest_speed() const {
  return *std::max_element(speeds.begin(), speeds.end());
}

double RunFacts::epoch_s() const {
  const double flops = static_cast<double>(samples_per_epoch) * flops_per_sample;
  return flops / std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

void describe_workers(const ClusterPlan& plan, RunFacts& facts) {
  facts.workers = plan.workers.size();
  facts.speeds = worker_speeds(plan);
  facts.names.clear();
  facts.class_of.clear();
  facts.node_of.clear();
  facts.max_batches.clear();
  facts.step_times.clear();
  facts.names.reserve(facts.workers);
  facts.class_of.reserve(facts.workers);
  std::size_t own_machine = 0;  // of those that share none
  for (const HostPlan& worker : plan.workers) {
    own_machine = std::max(own_machine, worker.node ? *worker.node + 1 : 0);
  }
  bool limited = false;
  bool plain = true;
  facts.may_be_faster = !plan.platform_file.empty();
  for (const HostPlan& worker : plan.workers) {
    facts.names.push_back(worker.name);
    facts.class_of.push_back(worker.class_name);
    facts.node_of.push_back(worker.node ? *worker.node : own_machine++);
    limited = limited || worker.max_batch;
    plain = plain && worker.step.is_plain();
    const bool varies = worker.changes || worker.noise.law == NoiseSpec::Law::lognormal;
    facts.may_be_faster = facts.may_be_faster || varies;
  }
  for (const HostPlan& worker : plan.workers) {
    if (limited) facts.max_batches.push_back(worker.max_batch);
    if (!plain) facts.step_times.emplace_back(worker.speed_flops, worker.step);
  }
}

}  // namespace motley
