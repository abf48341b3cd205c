#pragma once

#include <cstdint>
#include <vector>

#include "sim/learning/models/problem.hpp"

namespace motley {

/// Some layers next to each other whose gradient is averaged at once.
struct GradientBucket {
  std::uint64_t bytes = 0;
  double backward_flops = 0;  ///< of its layers, for one sample
};

/// In the order in which they are ready: from the output on, each bucket takes layers until it has
/// `bucket_bytes` or more; the last has what is left. A model of `message_bytes` shares them out to its
/// layers by their sizes.
std::vector<GradientBucket> gradient_buckets(const std::vector<Layer>& layers,
                                             std::uint64_t message_bytes, double bucket_bytes);

}  // namespace motley
