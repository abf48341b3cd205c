#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/run_result.hpp"
#include "sim/results/statistics/estimate.hpp"
#include "sim/results/statistics/paired_ratio.hpp"

namespace motley {

/// Parts of the time budget at which accuracies are compared.
inline constexpr std::array<double, 4> budget_parts = {0.25, 0.5, 0.75, 1};

/// The repetitions of one algorithm at one point of the sweep, and what they say together.
struct ComparisonRow {
  std::string algorithm;
  std::string baseline;                ///< the algorithm it is shown against
  std::vector<Json> point;             ///< values of the sweep's axes
  std::vector<const RunResult*> runs;  ///< in the order given
  std::size_t replicas = 0;  ///< of the row that has most: of one alone nothing is decided

  std::size_t reached = 0;  ///< the target
  std::size_t failed = 0;
  std::size_t diverged = 0;

  /// Over the runs that reached the target; without an interval where some did not. The upper end of
  /// one that goes beyond the end of the runs is infinite.
  std::optional<Estimate> time_to_target_s;
  std::optional<double> resolution_s;     ///< mean over the same runs
  std::optional<double> bytes_to_target;  ///< interpolated between the evaluations around it
  std::optional<Estimate> energy_to_target_J;
  std::optional<Estimate> cost_to_target;
  /// To the end of the run; over the runs that did not fail.
  std::optional<Estimate> energy_J;
  std::optional<Estimate> cost;
  /// Over all runs; those that never reached it count as later than all others.
  std::optional<double> time_to_target_median_s;

  /// Against each other algorithm at this point, in the order of the rows.
  struct Against {
    std::string algorithm;
    PairedRatio result;
  };
  std::vector<Against> against;
  /// nullptr without one.
  const PairedRatio* result_against(const std::string& other) const;
  /// The one of them that is against the baseline; of the baseline itself, 1 if it ever arrives.
  PairedRatio versus_baseline() const;

  /// Over the runs that neither failed nor diverged.
  std::optional<Estimate> final_accuracy;
  std::optional<Estimate> best_accuracy;
  std::optional<Estimate> final_loss;
  /// By the given part of the time budget; a run that has ended keeps its last accuracy.
  std::array<std::optional<double>, budget_parts.size()> accuracy_at;

  /// Until when its runs went on that did not arrive, where another one arrived only later (see
  /// cut_short.hpp): whether it would have been sooner is not known.
  std::optional<double> cut_short_s;
  std::size_t place = 0;        ///< 1 = first at this point, by the rule of places.hpp
  std::optional<bool> decided;  ///< faster than every algorithm behind it; empty: nobody to compare

  /// Share of the workers' time spent computing; over the runs that did not fail.
  std::optional<double> utilisation;
};

/// One row per algorithm and point, in the order of their first runs, which must outlive the rows.
/// The time budget is the one the run was given or else the longest run at the same point; until
/// then a run that has diverged is known not to reach the target.
std::vector<ComparisonRow> compare(const std::vector<RunResult>& results,
                                   const std::string& baseline);

}  // namespace motley
