#pragma once

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// The first host that may fail or joins late, workers first; null when there is none.
const HostPlan* first_that_fails(const ClusterPlan& plan);
inline bool has_failures(const ClusterPlan& plan) {
  return first_that_fails(plan) != nullptr;
}
/// "failures: 5 of 8 workers may fail (2 as listed, 3 by law); ...", with the share of their time in
/// which workers are down: up to `stop_s` with this seed where a run stops by time, else in the long
/// run; empty when nobody fails.
std::string described_failures(const ClusterPlan& plan, std::uint64_t seed,
                               const std::optional<double>& stop_s);
/// Everybody is there from the start to the end.
void remove_failures(ClusterPlan& plan);
/// When the first machine fails with this seed; those that join late have not failed. Empty: never.
std::optional<double> first_failure_s(const ClusterPlan& plan, std::uint64_t seed);

}  // namespace motley
