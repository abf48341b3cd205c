#include "sim/scenario/planned_failures.hpp"

#include <algorithm>
#include <sstream>

#include "sim/base/format.hpp"

namespace motley {
namespace {

double down_share_until(double end_s, const HostFailures& failures, std::uint64_t seed,
                        std::uint32_t number);

/// Of the time for ever. Where a profile repeats itself and a law holds, too, what overlaps counts once
/// on average.
double down_share_in_the_long_run(const HostFailures& failures) {
  if (std::ranges::any_of(failures.list, &Outage::is_for_good)) return 1;
  double up = 1;
  if (failures.law && !failures.law->mean_time_to_return_s) return 1;
  if (failures.law) {
    const double up_s = failures.law->mean_time_between_s;
    up *= up_s / (up_s + *failures.law->mean_time_to_return_s);
  }
  if (failures.profile && failures.profile->ends_off()) return 1;
  if (failures.profile && failures.profile->repeat_s) {
    const double round_s = *failures.profile->repeat_s;
    HostFailures alone;
    alone.profile = failures.profile;
    // The second round is like all that follow.
    up *= 1 -
          (2 * down_share_until(2 * round_s, alone, 0, 0) - down_share_until(round_s, alone, 0, 0));
  }
  return 1 - up;
}

/// Of the time up to then, as the seed has it.
double down_share_until(double end_s, const HostFailures& failures, std::uint64_t seed,
                        std::uint32_t number) {
  Outages outages(failures, seed, number);
  double down_s = 0;
  for (auto next = outages.next(); next && next->from_s < end_s; next = outages.next()) {
    down_s += std::min(next->until_s, end_s) - next->from_s;
  }
  return down_s / end_s;
}

/// Too many to be drawn only to be told of.
bool fails_very_often(const HostFailures& failures, double stop_s) {
  constexpr double most = 1e5;
  return (failures.law && stop_s / failures.law->mean_time_between_s > most) ||
         (failures.profile && failures.profile->repeat_s &&
          stop_s / *failures.profile->repeat_s > most);
}

}  // namespace

const HostPlan* first_that_fails(const ClusterPlan& plan) {
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) {
      if (host.failures.any()) return &host;
    }
  }
  return nullptr;
}

std::string described_failures(const ClusterPlan& plan, std::uint64_t seed,
                               const std::optional<double>& stop_s) {
  if (!has_failures(plan)) return "";
  std::size_t all = 0;
  std::size_t by_list = 0;
  std::size_t by_law = 0;
  std::size_t by_profile = 0;
  bool is_drawn = stop_s && *stop_s > 0;
  for (const HostPlan& worker : plan.workers) {
    all += worker.failures.any() ? 1 : 0;
    by_list += worker.failures.list.empty() ? 0 : 1;
    by_law += worker.failures.law ? 1 : 0;
    by_profile += worker.failures.profile ? 1 : 0;
    is_drawn = is_drawn && !fails_very_often(worker.failures, *stop_s);
  }
  std::vector<std::string> how;
  if (by_list > 0) how.push_back(std::to_string(by_list) + " as listed");
  if (by_law > 0) how.push_back(std::to_string(by_law) + " by law");
  if (by_profile > 0) how.push_back(std::to_string(by_profile) + " by state_file");
  std::ostringstream text;
  text << "failures: " << all << " of " << counted(plan.workers.size(), "worker") << " may fail";
  if (!how.empty()) text << " (" << listed(how) << ")";
  for (const HostPlan& server : plan.servers) {
    if (server.failures.any()) text << ", " << server.name << " too";
  }
  double share = 0;
  for (std::size_t rank = 0; rank < plan.workers.size(); ++rank) {
    const HostFailures& failures = plan.workers[rank].failures;
    share += is_drawn ? down_share_until(*stop_s, failures, seed, static_cast<std::uint32_t>(rank))
                      : down_share_in_the_long_run(failures);
  }
  text << "; workers are down "
       << significant(100 * share / static_cast<double>(plan.workers.size()))
       << " % of their time ";
  if (is_drawn)
    text << "up to " << *stop_s << " s with seed " << seed;
  else
    text << "in the long run";
  return text.str();
}

void remove_failures(ClusterPlan& plan) {
  for (HostPlan& worker : plan.workers) worker.failures = {};
  for (HostPlan& server : plan.servers) server.failures = {};
}

std::optional<double> first_failure_s(const ClusterPlan& plan, std::uint64_t seed) {
  std::optional<double> first;
  std::uint32_t number = 0;
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) {
      Outages outages(host.failures, seed, number++);
      std::optional<Outage> outage = host.failures.any() ? outages.next() : std::nullopt;
      if (outage && outage->from_s == 0) outage = outages.next();
      if (outage && (!first || outage->from_s < *first)) first = outage->from_s;
    }
  }
  return first;
}

}  // namespace motley
