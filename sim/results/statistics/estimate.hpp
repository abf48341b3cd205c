#pragma once

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

/// The mean, with Student's t interval. Empty without values.
std::optional<Estimate> mean_of(const std::vector<double>& values);

/// Of an even number of values, half way between the two in the middle.
std::optional<double> median_of(std::vector<double> values);

/// How many times shorter `times` are than `baseline`, pair by pair: the geometric mean of the
/// ratios baseline / time, with the t interval of their logarithms. So what two runs of a pair have
/// in common cancels, and swapping the two inverts everything. All must be above 0.
std::optional<Estimate> speedup_of(const std::vector<double>& baseline,
                                   const std::vector<double>& times);

}  // namespace motley
