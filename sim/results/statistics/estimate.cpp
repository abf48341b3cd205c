#include "sim/results/statistics/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace motley {
namespace {

/// Half of what 95 % leaves out, on each side.
constexpr double tail = 0.025;

/// By differences from the first, so that equal values have exactly their mean and no deviation.
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value - values.front();
  return values.front() + sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<Estimate> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  Estimate estimate{mean(values), std::nullopt};
  if (values.size() < 2) return estimate;
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) {
    squares += (value - estimate.value) * (value - estimate.value);
  }
  const double standard_error = std::sqrt(squares / (n - 1) / n);
  const boost::math::students_t law(n - 1);
  const double half = boost::math::quantile(boost::math::complement(law, tail)) * standard_error;
  estimate.interval = Interval{estimate.value - half, estimate.value + half};
  return estimate;
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : std::midpoint(values[middle - 1], values[middle]);
}

std::optional<Estimate> speedup_of(const std::vector<double>& baseline,
                                   const std::vector<double>& times) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < times.size(); ++i) logs.push_back(std::log(baseline[i] / times[i]));
  std::optional<Estimate> estimate = mean_of(logs);
  if (!estimate) return std::nullopt;
  estimate->value = std::exp(estimate->value);
  if (estimate->interval) {
    estimate->interval =
        Interval{std::exp(estimate->interval->low), std::exp(estimate->interval->high)};
  }
  return estimate;
}

}  // namespace motley
