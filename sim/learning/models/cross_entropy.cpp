#include "sim/learning/models/cross_entropy.hpp"

#include <bit>
#include <cmath>

namespace motley {
namespace {

/// e^x for x <= 0 to about one unit in the last place, and 0 below -60: beside the largest class's
/// 1 that is nothing, and denormal numbers would make all later products slow. NaN stays NaN.
/// Without branches or calls, so that the loop over it becomes vector code, whose lanes give the
/// same bits wherever a sample stands in the batch (a library's vector code and its scalar rest
/// would not).
inline float exp_nonpositive(float x) {
  constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it leaves an integer in the low bits
  const float shifted = std::fma(x, 1.44269504F, round);
  const float n = shifted - round;
  float r = std::fma(n, -0.693359375F, x);
  r = std::fma(n, 2.12194440e-4F, r);
  float p = 1.9875691500e-4F;
  p = std::fma(p, r, 1.3981999507e-3F);
  p = std::fma(p, r, 8.3334519073e-3F);
  p = std::fma(p, r, 4.1665795894e-2F);
  p = std::fma(p, r, 1.6666665459e-1F);
  p = std::fma(p, r, 5.0000001201e-1F);
  p = std::fma(p, r * r, r) + 1.0F;
  const auto exponent = (std::bit_cast<std::uint32_t>(shifted) << 23) + (127U << 23);
  return x < -60.0F ? 0.0F : p * std::bit_cast<float>(exponent);
}

/// Turns each row into exp(logit - largest) and returns the sum of losses (and each, unless
/// `losses` is empty). Calls row_done(row, label, total) after each row.
template <class RowDone>
double exponentials(Logits logits, std::span<const std::uint16_t> labels, std::span<float> losses,
                    const RowDone& row_done) {
  double loss = 0;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    float* row = logits.values + s * logits.stride;
    float largest = row[0];
    for (std::size_t c = 1; c < logits.classes; ++c) largest = row[c] > largest ? row[c] : largest;
    const double distance = static_cast<double>(largest) - static_cast<double>(row[labels[s]]);
    for (std::size_t c = 0; c < logits.classes; ++c) row[c] = exp_nonpositive(row[c] - largest);
    double total = 0;
    for (std::size_t c = 0; c < logits.classes; ++c) total += static_cast<double>(row[c]);
    const double own = std::log(total) + distance;
    loss += own;
    if (!losses.empty()) losses[s] = static_cast<float>(own);
    row_done(row, labels[s], total);
  }
  return loss;
}

bool is_largest(const float* row, std::size_t classes, std::size_t label) {
  bool largest = true;
  for (std::size_t c = 0; c < classes; ++c) {
    largest &= c < label ? row[c] < row[label] : row[c] <= row[label];
  }
  return largest;
}

}  // namespace

double cross_entropy_gradient(Logits logits, std::span<const std::uint16_t> labels, float scale,
                              std::span<float> losses) {
  return exponentials(logits, labels, losses, [&](float* row, std::size_t label, double total) {
    const float factor = static_cast<float>(static_cast<double>(scale) / total);
    for (std::size_t c = 0; c < logits.classes; ++c) row[c] *= factor;
    row[label] -= scale;
  });
}

EvaluationSum cross_entropy_evaluate(Logits logits, std::span<const std::uint16_t> labels) {
  EvaluationSum sum;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    sum.correct += is_largest(logits.values + s * logits.stride, logits.classes, labels[s]);
  }
  sum.loss = exponentials(logits, labels, {}, [](float*, std::size_t, double) {});
  return sum;
}

}  // namespace motley
