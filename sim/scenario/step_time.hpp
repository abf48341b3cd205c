#pragma once

#include <cstddef>
#include <memory>

#include "sim/scenario/measured_throughput.hpp"

namespace motley {

/// What makes a gradient of n samples take another time than n * flops_per_sample / speed.
struct StepTime {
  std::shared_ptr<const MeasuredThroughput> measured =
      {};  ///< the speed is that of its largest batch
  double overhead_s = 0;

  bool is_plain() const { return measured == nullptr && overhead_s == 0; }
  /// How many samples at that speed take as long as a gradient of n; exactly n when it is plain.
  double samples_at_full_speed(std::size_t n, double speed_flops, double flops_per_sample) const {
    if (measured) return measured->samples_at_full_speed(n);
    if (overhead_s == 0) return static_cast<double>(n);
    return static_cast<double>(n) + overhead_s * speed_flops / flops_per_sample;
  }
  /// The speed that is really reached with batches of n; exactly `speed_flops` when it is plain.
  double speed_at(std::size_t n, double speed_flops, double flops_per_sample) const {
    if (is_plain()) return speed_flops;
    return speed_flops *
           (static_cast<double>(n) / samples_at_full_speed(n, speed_flops, flops_per_sample));
  }
};

}  // namespace motley
