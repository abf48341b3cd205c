#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/learning/data/variation.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

struct ImageShape;

/// What may be done to a training image each time it is drawn.
enum class AugmentationStep {
  flip,  ///< left and right are exchanged, every second time on average
  crop   ///< moved by up to 4 pixels up or down and left or right; zeros come in
};

/// The key of a scenario that chooses some of them.
FieldInfo augmentation_field();

/// What is done to the `number`-th image that a worker draws: a pure function of these, so that
/// every algorithm meets the same.
Variation variation_of(const std::vector<AugmentationStep>& steps, std::uint64_t seed,
                       std::size_t rank, std::uint64_t number);

/// Writes the varied image to `to`.
void vary(const float* image, const ImageShape& shape, const Variation& variation, float* to);

}  // namespace motley
