#include "sim/learning/models/weight_decay.hpp"

#include <algorithm>

#include "sim/learning/models/matrix_product.hpp"

namespace motley {
namespace {

/// Summed in float over stretches short enough to lose nothing that matters, and then in double:
/// widening every value would take a tenth of a training step.
[[gnu::flatten]] double squared_norm(std::span<const float> x) {
  using product::Vector;
  constexpr std::size_t parts = 4;  // independent sums, for speed
  constexpr std::size_t step = parts * product::lanes;
  constexpr std::size_t stretch = 16 * step;
  double sum = 0;
  std::size_t i = 0;
  while (i + step <= x.size()) {
    Vector sums[parts];
    product::repeat<parts>([&](auto p) { sums[p] = Vector{}; });
    for (const std::size_t end = std::min(i + stretch, x.size()); i + step <= end; i += step) {
      product::repeat<parts>([&](auto p) {
        const Vector v = product::load(x.data() + i + p * product::lanes);
        sums[p] = product::fused(v, v, sums[p]);
      });
    }
    const Vector all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (std::size_t lane = 0; lane < product::lanes; ++lane) sum += static_cast<double>(all[lane]);
  }
  for (; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

}  // namespace

double weight_decay_term(double weight_decay, std::span<const float> x) {
  return weight_decay == 0 ? 0 : weight_decay / 2 * squared_norm(x);
}

FieldInfo weight_decay_field() {
  return {.name = "weight_decay",
          .doc = "adds weight_decay/2 times the squared norm of the parameters to the objective",
          .fallback = 0.0,
          .minimum = 0};
}

}  // namespace motley
