#include "sim/scenario/planned_trace.hpp"

#include <charconv>

#include "sim/base/json.hpp"
#include "sim/scenario/cluster_names.hpp"

namespace motley {
namespace {

class TracePlanner {
 public:
  TracePlanner(const TraceSpec& how, const ClusterPlan& cluster, const Place& place)
      : how_(how), plan_(cluster), names_(cluster), place_(place) {}

  std::map<std::size_t, TracePlan> plan(const SpeedTrace& trace, double flops_per_sample) const {
    check(trace);
    std::map<std::size_t, TracePlan> planned_by_rank;
    for (const auto& [worker, rows] : trace.rows) {
      const std::string where =
          "'" + trace.file + "', line " + std::to_string(rows.front().line) + ": ";
      const std::size_t rank = traced_rank(worker, where);
      if (planned_by_rank.contains(rank)) {
        throw InputError(place_, where + plan_.workers[rank].name +
                                     " is in the file by its name and by its rank: keep one");
      }
      planned_by_rank[rank] = planned(trace, rows, nominal(trace, rank, flops_per_sample));
    }
    return planned_by_rank;
  }

 private:
  void check(const SpeedTrace& trace) const {
    if (trace.value == SpeedTrace::Value::step_time_s && !how_.says_nominal && !how_.batch_size) {
      throw InputError(place_,
                       "needs \"batch_size\" (of the mini-batches that were timed) or \"nominal\" "
                       "(the step time at full speed, or \"median\"), since '" +
                           trace.file + "' has step times");
    }
    if (trace.value == SpeedTrace::Value::factor && (how_.says_nominal || how_.batch_size)) {
      throw InputError(place_ / (how_.batch_size ? "batch_size" : "nominal"),
                       "has no meaning: '" + trace.file + "' has factors, not step times");
    }
    if (trace.value == SpeedTrace::Value::relative_step_time && how_.batch_size) {
      throw InputError(place_ / "batch_size", "needs step_time_s: '" + trace.file +
                                                  "' has times in a unit of its own; give "
                                                  "\"nominal\"");
    }
  }

  std::size_t traced_rank(const std::string& worker, const std::string& where) const {
    const auto named = names_.ranks.find(worker);
    if (named != names_.ranks.end()) return named->second;
    std::size_t rank = 0;
    const auto [end, error] = std::from_chars(worker.data(), worker.data() + worker.size(), rank);
    if (error == std::errc() && end == worker.data() + worker.size() &&
        rank < plan_.workers.size()) {
      return rank;
    }
    throw InputError(place_,
                     where + "worker must be the name of a worker, or a rank below " +
                         std::to_string(plan_.workers.size()) +
                         did_you_mean(worker, names_in(names_.ranks)),
                     Json(worker));
  }

  /// The step time at which the worker has its own speed.
  double nominal(const SpeedTrace& trace, std::size_t rank, double flops_per_sample) const {
    if (!how_.batch_size) return how_.nominal.value_or(trace.median);
    const HostPlan& worker = plan_.workers[rank];
    const double samples =
        worker.step.samples_at_full_speed(*how_.batch_size, worker.speed_flops, flops_per_sample);
    return samples * flops_per_sample / worker.speed_flops;
  }

  TracePlan planned(const SpeedTrace& trace, const std::vector<SpeedTrace::Row>& rows,
                    double nominal) const {
    TracePlan plan;
    for (const SpeedTrace::Row& row : rows) {
      const bool is_factor = trace.value == SpeedTrace::Value::factor;
      const double factor = is_factor ? row.value : nominal / row.value;
      if (!(factor >= 1 / largest_change && factor <= largest_change)) {
        throw InputError(place_,
                         "'" + trace.file + "', line " + std::to_string(row.line) +
                             ": makes the worker more than 1e6 times faster or slower than the "
                             "scenario says",
                         factor);
      }
      plan.steps.push_back({row.time * how_.unit_s, factor});
    }
    const std::size_t n = rows.size();
    if (how_.repeat && n > 1) {
      plan.repeat_s = (2 * rows[n - 1].time - rows[n - 2].time) * how_.unit_s;
    }
    plan.steps.front().time_s = 0;  // before the first row the first row holds
    return plan;
  }

  const TraceSpec& how_;
  const ClusterPlan& plan_;
  ClusterNames names_;
  Place place_;
};

}  // namespace

std::map<std::size_t, TracePlan> plan_trace(const TraceSpec& how, const SpeedTrace& trace,
                                            const ClusterPlan& plan, double flops_per_sample,
                                            const Place& place) {
  return TracePlanner(how, plan, place).plan(trace, flops_per_sample);
}

}  // namespace motley
