#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/fields.hpp"

namespace motley {

/// How the speeds of one class's workers differ. The laws give relative step times tau_i.
struct SpreadSpec {
  enum class Law { ratio, linear, sqrt, straggler, lognormal, pareto, list };
  enum class Keep { fastest, total };
  Law law = Law::ratio;
  double ratio = 1;            ///< ratio: step time of the slow over that of the others
  double slow_share = 0;       ///< ratio: of the workers, rounded to the nearest whole number
  double factor = 1;           ///< straggler: step time of the last worker over that of the others
  double sigma = 0;            ///< lognormal: standard deviation of ln tau
  double alpha = 0;            ///< pareto: tail index
  std::vector<double> speeds;  ///< list: relative speeds, one per worker
  Keep keep = Keep::fastest;

  /// Whether the speeds depend on the seed.
  bool is_random() const { return law == Law::lognormal || law == Law::pareto; }
  static Fields<SpreadSpec> fields();
};

/// Refuses what only shows together with the number of workers.
void check_spread(const SpreadSpec& spread, std::size_t workers, const Place& place);

/// The speed of each worker over the speed the class names. The random laws draw tau_i from (seed,
/// class, i), so every algorithm meets the same cluster and further workers change no tau.
std::vector<double> spread_speeds(const SpreadSpec& spread, std::size_t workers, std::uint64_t seed,
                                  std::uint32_t class_index);

/// How uneven a cluster is.
struct Heterogeneity {
  double speed_ratio = 1;      ///< largest over smallest speed
  double speed_cv = 0;         ///< standard deviation (of all, not of a sample) over mean of speeds
  double sync_efficiency = 1;  ///< harmonic mean over maximum of the step times of equal batches:
                               ///< what share of the cluster's speed is used when all wait for all
};
Heterogeneity heterogeneity(const std::vector<double>& speeds);

}  // namespace motley
