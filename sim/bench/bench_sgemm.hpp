#pragma once

#include <string>

namespace motley {

/// The best rate of a large float matrix product that a library reaches here, on one thread.
struct SgemmRate {
  double flops_per_s = 0;
  std::string library;
};
SgemmRate best_large_sgemm();

}  // namespace motley
