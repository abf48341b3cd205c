#pragma once

#include <cstddef>
#include <optional>
#include <vector>

/// What can be said from a few repetitions, and how surely.
namespace motley {

struct Interval {
  double low = 0;
  double high = 0;
  bool contains(double value) const { return low <= value && value <= high; }
};

struct Estimate {
  double value = 0;
  std::optional<Interval> interval;  ///< of 95 %; one value alone has none
};

/// Which values a quantity can take, and so on which scale its interval is made.
enum class Range {
  real,      ///< any: the interval is symmetric
  positive,  ///< from 0, as times and losses: symmetric on the logarithmic scale
  share,     ///< from 0 to 1, as accuracies: symmetric on the scale of log(p / (1 - p))
};

/// The arithmetic mean m, with a 95 % interval by Student's t that keeps within the range: with h,
/// the half width of the ordinary interval, m -+ h for real ones, m exp(-+ h / m) for positive ones,
/// and logit(m) -+ h / (m (1 - m)), mapped back, for shares (the delta method). Where h is small all
/// are m -+ h. Empty without values. The standard deviation counts as no smaller than the least one.
std::optional<Estimate> mean_of(const std::vector<double>& values, Range range = Range::real,
                                double least_deviation = 0);

/// Of an even number of values, half way between the two in the middle.
std::optional<double> median_of(std::vector<double> values);

/// Of the mean of at least two values being 0: Student's t, two-sided. Their standard deviation counts
/// as no smaller than the least one. Values without any deviation are certain: 1 if they are 0, and
/// else 0.
double p_value_of_zero_mean(const std::vector<double>& values, double least_deviation = 0);
/// How many times its standard error an estimate must be for that p-value: Student's t, two-sided. `freedom` need not be
/// a whole number.
double errors_for_p_value(double freedom, double p_value);
/// How many times its standard deviation the mean of n values, at least two, must be for that p-value.
double deviations_for_p_value(std::size_t n, double p_value);

}  // namespace motley
