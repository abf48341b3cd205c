#include "sim/study/memory_need.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/machine_memory.hpp"

namespace motley {
namespace {

/// What a simulated worker takes, its host, links, stack and account, at the least: 19 kB were measured
/// in the middle of a run of 30,000 that learn nothing, 21 kB at the peak of one of 131,072.
constexpr double bytes_of_worker = 18e3;
/// What one takes that is never addressed, of an algorithm that draws some: see docs/performance.md.
constexpr double bytes_of_idle_worker = 500;
/// What SimGrid takes for the way from one worker of a node to another, measured with nodes of 1,000
/// and 2,000.
constexpr double bytes_of_way_inside = 150;

/// What two joined sites take: their links and routes in SimGrid, and what is planned of
/// them, measured with 400 and 800 sites.
constexpr double bytes_of_site_link = 2300;

/// Ways between two workers of one node, all nodes together.
double ways_inside(const ClusterPlan& cluster) {
  std::vector<double> members(cluster.nodes.size());
  for (const HostPlan& worker : cluster.workers) {
    if (worker.node) ++members[*worker.node];
  }
  double ways = 0;
  for (const double n : members) ways += n * n;
  return ways;
}

}  // namespace

MemoryNeed memory_need_of(const Experiment& experiment, const RunPlan& plan) {
  const Place root{plan.place.file, ""};
  const auto workers = static_cast<double>(experiment.cluster().workers.size());
  const auto parameters = static_cast<double>(experiment.problem().dimension());
  const auto batch = static_cast<double>(plan.batches.largest());
  const auto at_work = static_cast<double>(plan.workers_at_work);

  // Everybody has a gradient or a model of its own at some moment, and the samples it is made from.
  std::vector<MemoryNeed> parts = {
      {at_work * bytes_of_worker + (workers - at_work) * bytes_of_idle_worker, root / "cluster",
       std::to_string(experiment.cluster().workers.size()) + " workers"}};
  if (!experiment.cluster().nodes.empty()) {
    parts.push_back({ways_inside(experiment.cluster()) * bytes_of_way_inside, root / "cluster",
                     "nodes of so many workers"});
  }
  if (!experiment.cluster().site_links.empty()) {
    parts.push_back(
        {static_cast<double>(experiment.cluster().site_links.size()) * bytes_of_site_link,
         root / "cluster" / "fabric",
         std::to_string(experiment.cluster().places.size()) + " sites, any two of them joined"});
  }
  if (experiment.problem().is_real()) {
    parts.push_back({sizeof(float) * parameters * (at_work + 1), root / "model",
                     std::to_string(experiment.problem().dimension()) + " parameters on each of " +
                         std::to_string(plan.workers_at_work) + " workers"});
    parts.push_back({sizeof(Sample) * batch * std::max(at_work, plan.gradients_per_update),
                     plan.place,
                     "batches of " + plan.parameters.value("batch_size", Json(1)).dump()});
  }
  MemoryNeed need =
      *std::max_element(parts.begin(), parts.end(),
                        [](const MemoryNeed& a, const MemoryNeed& b) { return a.bytes < b.bytes; });
  need.what = plan.label + " with " + need.what;
  need.bytes = 0;
  for (const MemoryNeed& part : parts) need.bytes += part.bytes;
  return need;
}

void check_fits_memory(const MemoryNeed& need) {
  check_fits_memory(need.bytes, need.what, need.place);
}

}  // namespace motley
