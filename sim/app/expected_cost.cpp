#include "sim/app/expected_cost.hpp"

#include <algorithm>
#include <cmath>

namespace motley {
namespace {

/// Some ten microseconds of a core.
constexpr double flops_of_simulating_a_gradient = 2e5;
/// With "evaluate": {"every": "auto"}.
constexpr double evaluations = 100;

}  // namespace

double expected_cost(const Experiment& experiment, const RunPlan& plan) {
  const StopSpec& stop = experiment.scenario().stop;
  const Problem& problem = experiment.problem();
  const double batch = plan.parameters.value("batch_size", 1.0);
  double cluster_flops = 0;
  for (const HostPlan& worker : experiment.cluster().workers) cluster_flops += worker.speed_flops;

  // As if nobody ever waited, and an update took a gradient of everybody.
  double samples = INFINITY;
  const auto at_most = [&samples](double limit) { samples = std::min(samples, limit); };
  if (stop.time_s) at_most(*stop.time_s * cluster_flops / experiment.flops_per_sample());
  if (stop.samples) at_most(static_cast<double>(*stop.samples));
  if (stop.epochs) at_most(*stop.epochs * static_cast<double>(problem.train_size()));
  if (stop.updates) {
    at_most(static_cast<double>(*stop.updates) * batch *
            static_cast<double>(experiment.cluster().workers.size()));
  }
  const double forward = problem.flops_per_sample() / 3;
  return samples * problem.flops_per_sample() + samples / batch * flops_of_simulating_a_gradient +
         evaluations * static_cast<double>(problem.test_size()) * forward;
}

}  // namespace motley
