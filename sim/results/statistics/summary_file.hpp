#pragma once

#include <string>
#include <vector>

#include "sim/results/statistics/comparison.hpp"
#include "sim/results/tables/column_table.hpp"

namespace motley {

const ColumnTable<ComparisonRow>& summary_table();

/// The text of summary.csv. `axes` are the pointers that the values of RunResult::point belong to.
std::string summary_csv(const std::vector<std::string>& axes,
                        const std::vector<ComparisonRow>& rows, const Extras& extras = {});

}  // namespace motley
