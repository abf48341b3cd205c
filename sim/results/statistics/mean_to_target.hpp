#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/results/run_result.hpp"
#include "sim/results/statistics/estimate.hpp"

/// What an algorithm's runs needed to reach the target, on the average of those that reached it.
///
/// Where some did not, that mean is too low by an amount nobody knows: it is a bound, and has no interval.
namespace motley {

using RunFigure = std::function<std::optional<double>(const RunResult&)>;

/// Of a positive figure that only runs have that reached the target. Empty when none did.
std::optional<Estimate> mean_to_target(const std::vector<const RunResult*>& runs,
                                       const RunFigure& figure, double least_deviation = 0);

/// Times are known no better than their resolution r: their standard deviation counts as at least the
/// root mean square of r / sqrt(12). An interval that goes beyond the end of the runs is open: nothing was
/// seen there, and its upper end is infinite.
std::optional<Estimate> mean_time_to_target(const std::vector<const RunResult*>& runs);

/// Mean over the runs that reached the target. Empty when none did.
std::optional<double> mean_resolution_s(const std::vector<const RunResult*>& runs);

}  // namespace motley
