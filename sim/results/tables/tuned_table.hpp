#pragma once

#include <functional>
#include <string>

#include "sim/results/run_store.hpp"
#include "sim/results/statistics/tuning_score.hpp"
#include "sim/results/tables/column_table.hpp"

namespace motley {

/// A row of tuned.csv.
struct TunedRow {
  std::string algorithm;
  std::size_t candidate = 0;
  std::vector<Json> values;  ///< of all tuned parameters and of the sweep's axes
  std::size_t rung = 0;
  TuningScore score;
  bool chosen = false;
  bool at_edge = false;
};

const ColumnTable<TunedRow>& tuned_table();

/// Every candidate of every algorithm and point, with its score over the runs that are there.
std::string tuned_csv(const RunTable& table,
                      const std::function<const RunResult*(const std::string& hash)>& result);

}  // namespace motley
