#pragma once

#include <string>
#include <vector>

#include "sim/results/statistics/comparison.hpp"

namespace motley {

/// The text of summary.csv. `axes` are the pointers that the values of RunResult::point belong to,
/// `baseline` the label of the algorithm that speed-ups are measured by.
std::string summary_csv(const std::vector<std::string>& axes, const std::string& baseline,
                        const std::vector<ComparisonRow>& rows);

}  // namespace motley
