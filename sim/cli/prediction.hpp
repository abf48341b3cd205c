#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace motley {

/// What runs of one algorithm came to, the mean over its replicas.
struct RunFigures {
  double update_s = 0;             ///< time of an update
  std::optional<double> target_s;  ///< to the target; empty unless all replicas reached it
  double staleness = 0;            ///< mean of the gradients that a server applied
  double wait_share = 0;           ///< of the workers' time
  double bytes_per_update = 0;
  std::map<std::uint64_t, double> stale_shares;  ///< how often each staleness was, of all gradients
};

/// An algorithm as it was predicted and as it was measured.
struct Prediction {
  std::string algorithm;
  RunFigures predicted;
  RunFigures measured;

  /// Relative to what was measured: 0.1 is 10 % too long.
  double update_error() const { return predicted.update_s / measured.update_s - 1; }
  /// Half the sum of the differences of how often each staleness was: 0 the same, 1 nothing in common.
  double staleness_distance() const;
};

/// How well the order of the algorithms was predicted.
struct Ordering {
  std::string by;          ///< "time to target", or "time per update" where not all have one
  double correlation = 1;  ///< Spearman's, of the ranks; ties share theirs
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
/// Where the scenarios of the two folders are not the same: "/stop/time: "300s", "30s"", a line each. Nothing where a
/// folder has no scenario.
std::vector<std::string> scenario_differences(const std::filesystem::path& simulated,
                                              const std::filesystem::path& live);
Ordering ordering_of(const std::vector<Prediction>& predictions);
/// A row per algorithm.
std::string to_csv(const std::vector<Prediction>& predictions);

}  // namespace motley
