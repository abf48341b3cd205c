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

/// Of the mean of at least two values.
double standard_error(const std::vector<double>& values, double mean, double least_deviation) {
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::max(std::sqrt(squares / (n - 1) / n), least_deviation / std::sqrt(n));
}

Interval interval_of(double mean, double half, Range range) {
  if (half == 0) return {mean, mean};
  if (range == Range::positive && mean > 0)
    return {mean * std::exp(-half / mean), mean * std::exp(half / mean)};
  if (range == Range::share && mean > 0 && mean < 1) {
    const double odds = mean / (1 - mean);
    const double factor = std::exp(half / (mean * (1 - mean)));
    // 1 / (1 + 1/odds), which also holds for odds beyond all numbers.
    return {1 / (1 + factor / odds), 1 / (1 + 1 / (odds * factor))};
  }
  return {mean - half, mean + half};
}

}  // namespace

std::optional<Estimate> mean_of(const std::vector<double>& values, Range range,
                                double least_deviation) {
  if (values.empty()) return std::nullopt;
  Estimate estimate{mean(values), std::nullopt};
  if (values.size() < 2) return estimate;
  const boost::math::students_t law(static_cast<double>(values.size() - 1));
  const double half = boost::math::quantile(boost::math::complement(law, tail)) *
                      standard_error(values, estimate.value, least_deviation);
  estimate.interval = interval_of(estimate.value, half, range);
  return estimate;
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : std::midpoint(values[middle - 1], values[middle]);
}

double p_value_of_zero_mean(const std::vector<double>& values, double least_deviation) {
  const double middle = mean(values);
  const double error = standard_error(values, middle, least_deviation);
  if (error == 0) return middle == 0 ? 1 : 0;
  const boost::math::students_t law(static_cast<double>(values.size() - 1));
  return 2 * boost::math::cdf(boost::math::complement(law, std::abs(middle) / error));
}

double errors_for_p_value(double freedom, double p_value) {
  const boost::math::students_t law(freedom);
  return boost::math::quantile(boost::math::complement(law, p_value / 2));
}

double deviations_for_p_value(std::size_t n, double p_value) {
  return errors_for_p_value(static_cast<double>(n - 1), p_value) /
         std::sqrt(static_cast<double>(n));
}

}  // namespace motley
