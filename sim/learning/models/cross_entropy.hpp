#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/learning/models/problem.hpp"

namespace motley {

/// One row of logits per sample.
struct Logits {
  float* values;
  std::size_t stride;
  std::size_t classes;
};

/// The multinomial cross-entropy of softmax(logits), summed over the samples in double. Replaces
/// the logits by `scale` times the gradient with respect to them. Logits that are not finite give a
/// loss that is not finite. `losses` gets that of each sample, unless it is empty.
double cross_entropy_gradient(Logits logits, std::span<const std::uint16_t> labels, float scale,
                              std::span<float> losses = {});

/// The same loss without the gradient, and how many labels have the largest logit (among equal ones
/// the lowest class is the answer; NaN is never right). The logits are overwritten.
EvaluationSum cross_entropy_evaluate(Logits logits, std::span<const std::uint16_t> labels);

}  // namespace motley
