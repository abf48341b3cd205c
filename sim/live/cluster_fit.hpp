#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/live/calibration.hpp"

namespace motley {

/// A timing with what the fitted cluster gives for it.
struct FittedTiming : Timing {
  double fitted_s = 0;
};

/// The same of a gradient.
struct FittedSpeed : SpeedTiming {
  double fitted_s = 0;
};

/// A host's own link, as a scenario describes it.
struct FittedLink {
  double latency_s = 0;
  double up_Bps = 0;
  double down_Bps = 0;
};

/// A cluster as measured: every host hangs on one switch by a link of its own, and a message takes the latencies of
/// two links and its bytes over the narrower share.
///
/// A class's bandwidth is the slope of its messages of `large` bytes and more, by least squares of relative
/// errors; the intercept is twice the latency of a way. What several messages at once reach together is
/// the hub's bandwidth: the median over how many there were, where the hub was the limit and not their own links.
///
/// A class takes as long for a batch as its workers do in the mean. Batches that not all of them were timed with are
/// left out.
struct ClusterFit {
  static constexpr std::uint64_t large = 100'000;

  std::map<std::string, FittedLink> classes;  ///< of workers
  std::optional<FittedLink> hub;              ///< of the server; none where there is none
  /// Samples per second by batch, of each class; none where computing is emulated.
  std::map<std::string, std::map<std::uint64_t, double>> samples_per_s;
  std::vector<FittedTiming> timings;
  std::vector<FittedSpeed> speeds;  ///< those of the batches in samples_per_s

  /// How far the fit is from the timings of large messages: the mean of the relative errors, unsigned.
  double mean_error() const;
  /// The large message that it is farthest from, relatively. There must be one.
  const FittedTiming& worst() const;
  /// The same of all gradients: how far workers of a class are from each other.
  double mean_speed_error() const;
};

ClusterFit fit_cluster(const Measured& measured, const ClusterPlan& cluster);

/// The scenario with the links of the fit, and the speeds if there are any, in its cluster.
Json with_fit(Json scenario, const ClusterFit& fit);

/// The timings as CSV; see timings_table.hpp.
std::string to_csv(const ClusterFit& fit);

}  // namespace motley
