#pragma once

#include <cstdint>

#include "sim/learning/models/problem.hpp"

namespace motley {

/// The constants of a problem that does not know them, estimated at the initial model of this seed:
///   s2  from how much 32 gradients of 8 samples each, drawn with the seed, differ from their mean
///   L   from how much that mean changes along itself, over a hundredth of the model's norm
///   D   the loss there; the minimum is taken to be 0
/// All three change during training: shapes follow from them, not times.
ProblemConstants estimated_constants(const Problem& problem, std::uint64_t seed);

}  // namespace motley
