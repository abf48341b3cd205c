#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/tables/explained_runs.hpp"

namespace motley {

inline constexpr std::array<const char*, 5> time_parts = {"computing", "transfer", "waiting",
                                                          "discarded", "down"};

/// How an algorithm comes to the target, over its runs: geometric means, so that factors multiply.
/// time_s = per_sample_s * samples_per_update * updates, and the parts add up to per_sample_s.
struct WayToTarget {
  std::string algorithm;
  double time_s = 0;
  double updates = 0;
  double samples = 0;
  std::array<double, 5> parts_s = {};  ///< of the time of one sample
  double mean_staleness = 0;

  double per_sample_s() const { return time_s / samples; }
  double samples_per_update() const { return samples / updates; }
  double per_update_s() const { return time_s / updates; }
};

/// Why one algorithm is at the target before another.
struct Explanation {
  WayToTarget first;
  WayToTarget second;
  std::size_t pairs = 0;     ///< of runs with the same seed in which both reached it
  std::size_t left_out = 0;  ///< pairs in which one did not

  double ratio() const { return second.time_s / first.time_s; }
  /// Too close to be explained: shares of such a ratio would be of nothing.
  bool about_equal() const { return ratio() < 1.005; }
  /// How many times faster the first is at a sample; and how many times fewer it needs.
  double speed_factor() const { return second.per_sample_s() / first.per_sample_s(); }
  double samples_factor() const { return second.samples / first.samples; }
};

/// Empty when there is no pair in which both reached the target. The first is the faster one.
std::optional<Explanation> explain(const std::string& a, const std::vector<RunToTarget>& runs_a,
                                   const std::string& b, const std::vector<RunToTarget>& runs_b);

/// The table of factors and parts, and what dominates, in words. The verdict is that of the first
/// against the second.
std::string to_text(const Explanation& explanation, const std::optional<StoredVerdict>& verdict);

}  // namespace motley
