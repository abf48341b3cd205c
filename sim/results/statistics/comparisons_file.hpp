#pragma once

#include <string>
#include <vector>

#include "sim/results/statistics/comparison.hpp"
#include "sim/results/tables/column_table.hpp"

namespace motley {

/// One algorithm against another at one point.
struct ComparedPair {
  const ComparisonRow& row;
  const ComparisonRow::Against& against;
};

const ColumnTable<ComparedPair>& comparisons_table();

/// The text of comparisons.csv.
std::string comparisons_csv(const std::vector<std::string>& axes,
                            const std::vector<ComparisonRow>& rows);

}  // namespace motley
