#pragma once

#include <cstdint>

#include "sim/learning/data/dataset.hpp"

namespace motley {

/// Classes that are isotropic Gaussian clouds of unit variance. Their centres lie in random
/// directions at separation/sqrt(2) from the origin, so two of them are about `separation` apart
/// when there are many features (with few, random directions are far from orthogonal).
struct GaussianClasses {
  std::size_t features;
  std::size_t classes;
  double separation;
};

/// Sample i depends on (law, seed, i) and whether it is for training or testing, not on the counts:
/// a larger count appends samples. Every run of `classes` samples from the start holds each class
/// once. `place` is that of the data section, for InputErrors.
Dataset make_synthetic(const GaussianClasses& law, std::size_t train, std::size_t test,
                       std::uint64_t seed, const Place& place);

}  // namespace motley
