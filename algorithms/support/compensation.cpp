#include "algorithms/support/compensation.hpp"

#include <cmath>

namespace motley {

void Compensation::apply(Parameters& g, const Parameters& now, const Parameters& then,
                         Parameters& mean_square) const {
  const auto constant = static_cast<float>(lambda);
  const auto m = static_cast<float>(smoothing);
  if (adaptive && mean_square.empty()) mean_square = Parameters::zeros(g.size());
  const std::span<float> ms = adaptive ? mean_square.writable() : std::span<float>();
  const std::span<const float> x = now.values();
  const std::span<const float> x_before = then.values();
  g.transform([&](std::span<const float> from, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const float square = from[i] * from[i];
      float factor = constant;
      if (adaptive) {
        ms[i] = m * ms[i] + (1 - m) * square;
        factor = constant / std::sqrt(ms[i] + 1e-7F);
      }
      to[i] = from[i] + factor * square * (x[i] - x_before[i]);
    }
  });
}

}  // namespace motley
