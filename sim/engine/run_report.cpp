#include "sim/engine/run_report.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "sim/results/idle_parts.hpp"
#include "sim/scenario/speed_curve.hpp"

namespace motley {
namespace {

/// By their ranks: all of them, or in a large cluster those to whom anything has happened.
std::vector<std::size_t> listed_workers(const World& world) {
  const bool all = world.workers() <= most_workers_listed;
  const std::set<std::size_t> decided = world.recorder.decided_about();
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < world.workers(); ++rank) {
    const bool took_part =
        world.bodies.known_worker(rank) != nullptr || world.failures.failures(rank) > 0;
    if (all || took_part || decided.contains(rank)) ranks.push_back(rank);
  }
  return ranks;
}

/// On the timeline, if one is kept: by the scenario's changes, slow-downs and trace.
void show_slowed_periods(World& world) {
  Timeline* timeline = world.recorder.timeline();
  if (timeline == nullptr) return;
  const ClusterPlan& cluster = world.setup.cluster;
  const double end = world.ending.end_time();
  std::size_t node = 0;
  for (const std::vector<HostPlan>* hosts : {&cluster.workers, &cluster.servers}) {
    for (const HostPlan& host : *hosts) {
      const std::size_t of = node++;
      if (!host.changes || !timeline->is_kept(of)) continue;
      SpeedCurve curve(*host.changes, world.setup.scenario.seed);
      for (double now = 0; now < end;) {
        const double factor = curve.at(now);
        const double next = std::min(end, curve.next_change(now));
        if (factor < 1) timeline->was_slowed(of, factor, now, next);
        now = next;
      }
    }
  }
}

}  // namespace

RunResult report_of(World& world) {
  const ClusterPlan& cluster = world.setup.cluster;
  Recorder& recorder = world.recorder;
  const double end = world.ending.end_time();
  RunResult result;
  result.seed = world.setup.scenario.seed;
  const auto samples_of = [&world](std::size_t rank) {
    const SimulatedWorker* worker = world.bodies.known_worker(rank);
    return worker != nullptr ? worker->data_samples() : world.setup.partition.size(rank);
  };
  const std::vector<std::size_t> listed = listed_workers(world);
  for (const std::size_t rank : listed) {
    const HostPlan& host = cluster.workers[rank];
    result.workers.push_back({.name = host.name,
                              .class_name = host.class_name,
                              .speed_flops = host.speed_flops,
                              .data_samples = samples_of(rank)});
  }
  if (!world.ending.failure().empty()) {
    result.status = RunStatus::failed;
    result.reason = world.ending.failure();
  } else if (recorder.stop().status() != StopRule::Status::diverged &&
             recorder.has_unevaluated_update()) {
    world.global_model.evaluate(end);
  }
  show_slowed_periods(world);
  recorder.close(end);
  recorder.write_to(result, end, listed);
  if (listed.size() < world.workers()) {
    result.uneven = heterogeneity(worker_speeds(cluster));
    add_idle_classes(result, cluster, listed, samples_of);
  }
  result.links = world.network.links(end, cluster);
  result.evaluation_wall_s = world.global_model.evaluation_wall_s();
  return result;
}

}  // namespace motley
