#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/results/tables/column_table.hpp"

namespace motley {

/// What runs of one algorithm came to, the mean over its replicas.
struct RunFigures {
  std::size_t runs = 0;
  double update_s = 0;  ///< time of an update
  /// To the target, of the replicas that the other side has too: it depends on what is learnt, so on the seed. Empty
  /// unless all of them reached it on both sides.
  std::optional<double> target_s;
  double staleness = 0;   ///< mean of the gradients that a server applied
  double wait_share = 0;  ///< of the workers' time
  double bytes_per_update = 0;
  std::map<std::uint64_t, double> stale_shares;  ///< how often each staleness was, of all gradients
};

/// An algorithm as it was predicted and as it was measured.
struct Prediction {
  std::string algorithm;
  RunFigures predicted;
  RunFigures measured;
  /// By how much an error of update_error() may be chance: where the prediction is right it is below that in 95 % of
  /// cases, as far as replicas tell. One run is taken to vary as those of the other side. Empty where nothing is known.
  std::optional<double> update_chance = std::nullopt;

  /// Relative to what was measured: 0.1 is 10 % too long.
  double update_error() const { return predicted.update_s / measured.update_s - 1; }
  /// The same of other figures. Empty where nothing was measured though something was predicted, and of waiting where
  /// the measured share is below `little_wait`: percents of nearly nothing say nothing, and wait_difference() does.
  std::optional<double> target_error() const;
  std::optional<double> staleness_error() const;
  std::optional<double> wait_error() const;
  std::optional<double> bytes_error() const;
  static constexpr double little_wait = 0.05;
  /// Of the shares: 0.01 is one percentage point too much.
  double wait_difference() const { return predicted.wait_share - measured.wait_share; }
  /// Half the sum of the differences of how often each staleness was: 0 the same, 1 nothing in common.
  double staleness_distance() const;
};

/// compare.csv.
const ColumnTable<Prediction>& compare_table();

}  // namespace motley
