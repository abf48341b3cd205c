#pragma once

#include <cstdint>

#include "sim/base/random.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// Slow-downs that differ from step to step.
struct NoiseSpec {
  enum class Law { none, lognormal, half_normal, exponential, pareto };
  Law law = Law::none;
  double sigma = 0;  ///< lognormal, half_normal
  double mean = 0;   ///< exponential
  double alpha = 0;  ///< pareto

  static Fields<NoiseSpec> fields();
};

/// What the compute time of a worker's steps is multiplied by, step by step. The k-th factor
/// depends on (seed, rank, k) and the law alone: every algorithm meets the same slow-downs.
class StepNoise {
 public:
  StepNoise(const NoiseSpec& spec, std::uint64_t seed, std::size_t rank)
      : spec_(spec), random_(seed, Purpose::step_noise, static_cast<std::uint32_t>(rank)) {}

  /// The factors of the next so many steps, added up. Exactly `steps` without noise.
  double take(std::size_t steps);

 private:
  double next();

  NoiseSpec spec_;
  RandomStream random_;
};

}  // namespace motley
