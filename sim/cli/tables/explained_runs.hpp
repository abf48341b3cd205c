#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/tables/sweep_points.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/statistics/paired_ratio.hpp"

/// What an explanation is made of, read back from a results folder.
namespace motley {

/// What one run tells about how it came to the target.
struct RunToTarget {
  std::string point;  ///< of a sweep, in words; empty without one
  std::uint64_t replica = 0;
  std::optional<double> time_s;  ///< empty: not reached
  double updates = 0;            ///< until then, interpolated between evaluations
  double samples = 0;
  /// Of the workers' time over the run: computing, transfer, waiting, discarded, down.
  std::array<double, 5> shares = {};
  double mean_staleness = 0;
  std::optional<double> best_accuracy;
};

/// A row of comparisons.csv: which of two algorithms is faster, as it was decided there.
struct StoredVerdict {
  std::string algorithm;
  std::string against;
  std::size_t pairs = 0;
  double ratio = 1;
  Bound bound = Bound::none;
  Verdict verdict = Verdict::undecided;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<double> p_holm;
  bool is_within_resolution = false;  ///< false in a folder of a version that did not write it
};

/// The point of a sweep that a row belongs to: "/cost/model_size=10MB"; empty without a sweep.
std::string point_of_row(const CsvTable& table, std::size_t row);

/// The point of the folder's sweep that is meant, in words as RunToTarget::point; see point_among().
std::string point_meant(const std::filesystem::path& folder, const std::string& given,
                        const std::string& option = "--at");

/// The runs of one algorithm in a results folder, at one point. InputError when there are none.
std::vector<RunToTarget> runs_to_target(const std::filesystem::path& folder,
                                        const std::string& algorithm, const std::string& point);

/// The algorithm's place at a point, as it was ruled in summary.csv; empty when that does not say.
std::optional<double> stored_place(const std::filesystem::path& folder,
                                   const std::string& algorithm, const std::string& point);

/// Empty when the folder holds no ratio of the two. InputError when it is none that can be.
std::optional<StoredVerdict> stored_verdict(const std::filesystem::path& folder,
                                            const std::string& algorithm,
                                            const std::string& against, const std::string& point);

/// "async is faster than sync: 3.8 times [3.2, 4.5], 5 pairs of runs, p = 0.0012 ...".
std::string to_text(const StoredVerdict& verdict);

}  // namespace motley
