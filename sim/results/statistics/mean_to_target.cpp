#include "sim/results/statistics/mean_to_target.hpp"

#include <algorithm>
#include <cmath>

#include "sim/results/statistics/resolution.hpp"

namespace motley {
namespace {

using SomeRuns = std::vector<const RunResult*>;

std::vector<double> resolutions(const SomeRuns& runs) {
  std::vector<double> values;
  for (const RunResult* run : runs) {
    if (run->time_to_target_s) values.push_back(resolution_s(*run));
  }
  return values;
}

/// Until when a late arrival would have been seen. Without a time budget only a run that went on after
/// the target tells: one that stops there might have been given any time.
std::optional<double> watched_until(const RunResult& run) {
  if (run.time_budget_s) return run.time_budget_s;
  const auto beyond = std::ranges::count_if(
      run.curve, [&](const CurvePoint& p) { return p.time_s >= run.time_to_target_s; });
  return beyond > 1 ? std::optional(run.virtual_s) : std::nullopt;
}

}  // namespace

std::optional<Estimate> mean_to_target(const SomeRuns& runs, const RunFigure& figure,
                                       double least_deviation) {
  std::vector<double> values;
  for (const RunResult* run : runs) {
    if (const std::optional<double> value = figure(*run)) values.push_back(*value);
  }
  std::optional<Estimate> mean = mean_of(values, Range::positive, least_deviation);
  if (mean && values.size() < runs.size()) mean->interval.reset();
  return mean;
}

std::optional<Estimate> mean_time_to_target(const SomeRuns& runs) {
  double squares = 0;
  const std::vector<double> known_to = resolutions(runs);
  for (const double r : known_to) squares += r * r / 12;
  const double least =
      std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, known_to.size())));
  std::optional<Estimate> mean = mean_to_target(
      runs, [](const RunResult& run) { return run.time_to_target_s; }, least);
  if (!mean || !mean->interval) return mean;
  std::optional<double> horizon;
  for (const RunResult* run : runs) horizon = std::max(horizon, watched_until(*run));
  if (horizon && mean->interval->high > *horizon) mean->interval->high = INFINITY;
  return mean;
}

std::optional<double> mean_resolution_s(const SomeRuns& runs) {
  const std::optional<Estimate> mean = mean_of(resolutions(runs));
  return mean ? std::optional(mean->value) : std::nullopt;
}

}  // namespace motley
