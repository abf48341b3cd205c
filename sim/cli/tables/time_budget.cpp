#include "sim/cli/tables/time_budget.hpp"

#include <algorithm>

#include "sim/base/format.hpp"

namespace motley {
namespace {

/// Share of all workers' time.
double share(const RunResult& result, double seconds_summed) {
  const double total = result.virtual_s * static_cast<double>(result.worker_count());
  return total > 0 ? seconds_summed / total : 0;
}

/// How many never took part, where they are too many to be listed.
std::uint64_t count_idle(const RunResult& result) {
  std::uint64_t idle = 0;
  for (const WorkerResult& worker : result.workers) {
    if (worker.count > 1) idle += worker.count;
  }
  return idle;
}

/// " (slowest class: cpu)"; where speeds differ within that class, "slowest worker: node7". Nothing where all
/// are equally fast: then no speed says for whom the others wait.
std::string slowest(const RunResult& result) {
  const auto ends = std::minmax_element(
      result.workers.begin(), result.workers.end(),
      [](const WorkerResult& a, const WorkerResult& b) { return a.speed_flops < b.speed_flops; });
  const auto last = ends.first;
  if (last->speed_flops == ends.second->speed_flops) return "";
  const bool class_is_even =
      std::all_of(result.workers.begin(), result.workers.end(), [&](const WorkerResult& worker) {
        return worker.class_name != last->class_name || worker.speed_flops == last->speed_flops;
      });
  const auto equals = std::count_if(
      result.workers.begin(), result.workers.end(),
      [&](const WorkerResult& worker) { return worker.speed_flops == last->speed_flops; });
  if (class_is_even) return " (slowest class: " + last->class_name + ")";
  return equals == 1
             ? " (slowest worker: " + last->name + ")"
             : " (" + std::to_string(equals) + " slowest workers: " + last->name + " and others)";
}

/// Of those who wait, or whom they wait for.
std::string who_waits(const RunResult& result) {
  const std::uint64_t idle = count_idle(result);
  return idle > 0 ? " (" + std::to_string(idle) + " workers never took part)" : slowest(result);
}

}  // namespace

std::string time_budget(const RunResult& r) {
  if (r.workers.empty() || r.virtual_s <= 0) return "nothing happened";
  const LinkResult* busiest = nullptr;
  double busy = 0;
  for (const LinkResult& link : r.links) {
    const double use = link.bytes / (link.bandwidth_Bps * r.virtual_s);
    if (busiest == nullptr || use > busy) {
      busiest = &link;
      busy = use;
    }
  }
  const double wait = share(r, r.wait_s());
  const double discarded = share(r, r.discarded_s());
  return "compute " + percent(share(r, r.compute_s())) + ", transfer " +
         percent(share(r, r.transfer_s())) + ", wait " + percent(wait) +
         (wait >= 0.01 ? who_waits(r) : "") +
         (discarded > 0 ? ", discarded " + percent(discarded) : "") +
         (r.down_s() > 0 ? ", down " + percent(share(r, r.down_s())) : "") +
         (busiest == nullptr ? "" : "; busiest link " + busiest->name + " " + percent(busy));
}

}  // namespace motley
