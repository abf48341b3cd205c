#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// Samples per second that one worker reaches: a number, or as measured, by batch size:
/// {"1": 40, "8": 220, "32": 410}.
///
/// A batch of b measured samples takes b / samples_per_s(b); in between, its time is on the straight
/// line. Beyond the largest the throughput is that of the largest. Below the smallest the line through
/// the first two goes on, unless it would make an empty batch take less than nothing: then, as with
/// one measurement alone, the throughput is that of the smallest.
class MeasuredThroughput {
 public:
  static MeasuredThroughput read(const Json& value, const Place& place);
  static JsonValue schema();

  /// At the largest batch that was measured.
  double full_samples_per_s() const { return full_; }
  /// Whether a sample takes as long in every batch.
  bool is_constant() const { return points_.size() == 1; }
  /// How many samples, at the throughput of the largest batch, take as long as one batch of n. Exactly
  /// n where the throughput is that.
  double samples_at_full_speed(std::size_t n) const;
  /// Two neighbours of which the larger batch takes less time: {8, 16}. Empty when there are none.
  std::optional<std::pair<std::size_t, std::size_t>> falling_time() const;

 private:
  struct Point {
    double batch = 0;
    double full = 0;  // samples at full speed that take as long
  };

  double full_ = 0;
  std::vector<Point> points_;  // by batch; the last one's two numbers are equal
};

}  // namespace motley
