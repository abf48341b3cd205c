#include "sim/study/expected_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/json.hpp"

namespace motley {
namespace {

/// Some ten microseconds of a core.
constexpr double flops_of_simulating_a_gradient = 2e5;

/// How often a run of so many updates and so long is evaluated.
double evaluations(const Scenario& scenario, double updates, double virtual_s) {
  const EvaluationInterval& every = scenario.evaluate.every;
  if (every.updates) return 1 + updates / static_cast<double>(*every.updates);
  if (every.time_s) return 1 + virtual_s / *every.time_s;
  return EvaluationInterval::automatic_points;
}

/// Of its speed, in a run that ends at a given time.
double mean_factor(const HostPlan& worker, const Scenario& scenario) {
  if (!worker.changes || !scenario.stop.time_s) return 1;
  return SpeedCurve(*worker.changes, scenario.seed).mean_until(*scenario.stop.time_s);
}

}  // namespace

double expected_cost(const Experiment& experiment, const RunPlan& plan) {
  const StopSpec& stop = experiment.scenario().stop;
  const Problem& problem = experiment.problem();
  const auto workers = static_cast<double>(experiment.cluster().workers.size());
  const double batch = static_cast<double>(plan.batches.sum()) / workers;  // mean
  const double samples_of_update = batch * plan.gradients_per_update;
  const std::vector<double> speeds = experiment.facts().speeds_at(plan.batches.by_rank());
  double cluster_flops = 0;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    cluster_flops +=
        mean_factor(experiment.cluster().workers[i], experiment.scenario()) * speeds[i];
  }
  const double samples_per_s = cluster_flops / experiment.flops_per_sample();

  // As if nobody ever waited.
  double samples = INFINITY;
  const auto at_most = [&samples](double limit) { samples = std::min(samples, limit); };
  if (stop.time_s) at_most(*stop.time_s * samples_per_s);
  if (stop.samples) at_most(static_cast<double>(*stop.samples));
  if (stop.epochs) at_most(*stop.epochs * static_cast<double>(problem.train_size()));
  if (stop.updates) at_most(static_cast<double>(*stop.updates) * samples_of_update);
  const double forward = problem.flops_per_sample() / 3;
  const double points = evaluations(experiment.scenario(), samples / samples_of_update,
                                    stop.time_s.value_or(samples / samples_per_s));
  return samples * problem.flops_per_sample() + samples / batch * flops_of_simulating_a_gradient +
         points * static_cast<double>(problem.test_size()) * forward;
}

}  // namespace motley
