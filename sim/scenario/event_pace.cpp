#include "sim/scenario/event_pace.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace motley {
namespace {

/// What happens again and again for one reason, by its place in the scenario.
struct Recurring {
  std::string what;
  double per_s = 0;
  double for_s = 0;  ///< at most, of those that end
};
using RecurringByPlace = std::map<std::string, Recurring>;

void add_traffic(const ClusterPlan& plan, double stop_s, RecurringByPlace& all) {
  for (const TrafficPlan& stream : plan.traffic) {
    Recurring& entry = all["/cluster/traffic/" + std::to_string(stream.entry)];
    entry.what = "messages";
    entry.per_s += 1 / stream.spec.every.mean_amount();
    entry.for_s = std::min(stream.spec.for_s.value_or(stop_s), stop_s);
  }
}

void add_speeds(const ClusterSpec& spec, const ClusterPlan& plan, double stop_s,
                RecurringByPlace& all) {
  for (const HostPlan& worker : plan.workers) {
    if (worker.changes == nullptr) continue;
    if (const auto& slowdowns = worker.changes->slowdowns) {
      std::string place = "/cluster/slowdowns";
      for (std::size_t k = 0; k < spec.workers.size(); ++k) {
        if (spec.workers[k].name != worker.class_name || !spec.workers[k].slowdowns) continue;
        place = "/cluster/workers/" + std::to_string(k) + "/slowdowns";
      }
      Recurring& entry = all[place];
      entry.what = "slow-downs";
      entry.per_s += 1 / (slowdowns->after.mean_amount() + slowdowns->lasting.mean_amount());
      entry.for_s = stop_s;
    }
    const TracePlan& trace = worker.changes->trace;
    if (trace.repeat_s) {
      Recurring& entry = all["/cluster/trace"];
      entry.what = "changes of speed";
      entry.per_s += static_cast<double>(trace.steps.size()) / *trace.repeat_s;
      entry.for_s = stop_s;
    }
  }
}

void add_failures(const ClusterSpec& spec, const ClusterPlan& plan, double stop_s,
                  RecurringByPlace& all) {
  if (!spec.failures) return;
  const std::vector<FailureLawSpec>& laws = spec.failures->laws;
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) {
      if (const StateProfile* profile = host.failures.profile.get();
          profile != nullptr && profile->repeat_s && profile->goes_off()) {
        Recurring& entry = all["/cluster/platform"];
        entry.what = "changes of state_files";
        entry.per_s += static_cast<double>(profile->changes.size()) / *profile->repeat_s;
        entry.for_s = stop_s;
      }
      const std::optional<FailureLawSpec>& law = host.failures.law;
      if (!law || !law->mean_time_to_return_s) continue;  // one failure is not many
      const auto which = std::ranges::find(laws, law->class_name, &FailureLawSpec::class_name);
      Recurring& entry = all["/cluster/failures/laws/" + std::to_string(which - laws.begin())];
      entry.what = "failures";
      entry.per_s += 1 / (law->mean_time_between_s + *law->mean_time_to_return_s);
      entry.for_s = stop_s;
    }
  }
}

}  // namespace

std::vector<std::string> pace_warnings(const ClusterSpec& spec, const ClusterPlan& plan,
                                       const std::optional<double>& stop_s) {
  constexpr double many = 1e7;             // in a run: they alone take about ten seconds
  constexpr double many_per_second = 1e5;  // of a run of which it is not known how long it is
  const double until_s = stop_s.value_or(std::numeric_limits<double>::infinity());
  RecurringByPlace all;
  add_traffic(plan, until_s, all);
  add_speeds(spec, plan, until_s, all);
  add_failures(spec, plan, until_s, all);
  std::vector<std::string> warnings;
  for (const auto& [place, entry] : all) {
    const bool has_end = entry.for_s < std::numeric_limits<double>::infinity();
    if (has_end ? entry.per_s * entry.for_s <= many : entry.per_s <= many_per_second) continue;
    std::ostringstream text;
    text << place << ": about " << (has_end ? entry.per_s * entry.for_s : entry.per_s) << " "
         << entry.what << " in ";
    if (has_end)
      text << entry.for_s << " s of virtual time";
    else
      text << "every second of virtual time";
    text << ": a run takes long; are the units what was meant?";
    warnings.push_back(text.str());
  }
  return warnings;
}

}  // namespace motley
