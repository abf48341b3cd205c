#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/tables/compare_table.hpp"

namespace motley {

/// How well the order of the algorithms was predicted. That is another question than which of them is faster,
/// which paired_ratio.hpp decides: here is no test, and two algorithms are told apart if their times are more than
/// `too_close`, 5 %, apart.
struct Ordering {
  std::string by;  ///< "time to target", or "time per update" where not all have one
  /// Spearman's, of the ranks; ties share theirs. Empty where all have the same time, predicted or measured.
  std::optional<double> correlation;
  /// Pairs that came the other way round though they were further apart than `too_close`, both times.
  std::vector<std::string> inverted;
  static constexpr double too_close = 0.05;

  bool is_kept() const { return inverted.empty(); }
};

/// Of the algorithms that both folders have. InputError when there is none, or a folder has no results.
std::vector<Prediction> predictions(const std::filesystem::path& simulated,
                                    const std::filesystem::path& live);
/// What of either folder they are without, and why, a line each: runs that failed or made no update, algorithms that
/// only one of the folders has.
std::vector<std::string> left_out_of(const std::filesystem::path& simulated,
                                     const std::filesystem::path& live);
/// InputError unless the first folder is of a simulation and the second of a live run, as far as that can be told.
void check_sides(const std::filesystem::path& simulated, const std::filesystem::path& live);
/// Where the scenarios of the two folders are not the same, but for the number of replicas: "/stop/time: "300s", "30s"",
/// a line each. Nothing where a folder has no scenario.
std::vector<std::string> scenario_differences(const std::filesystem::path& simulated,
                                              const std::filesystem::path& live);
/// Whether their scenario has a target; true where that cannot be told.
bool have_target(const std::filesystem::path& simulated, const std::filesystem::path& live);
Ordering ordering_of(const std::vector<Prediction>& predictions);
/// A row per algorithm.
std::string to_csv(const std::vector<Prediction>& predictions);

}  // namespace motley
