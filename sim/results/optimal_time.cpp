#include "sim/results/optimal_time.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace motley {

OptimalTime optimal_time(std::span<const double> taus, const Difficulty& difficulty) {
  std::vector<double> sorted(taus.begin(), taus.end());
  std::ranges::sort(sorted);
  OptimalTime best{std::numeric_limits<double>::infinity(), 0};
  double rate = 0;  // of the m fastest together
  for (std::size_t m = 1; m <= sorted.size(); ++m) {
    rate += 1 / sorted[m - 1];
    const double gradients = static_cast<double>(m) + difficulty.noise;  // for a step
    const double time_s = difficulty.steps * gradients / rate;
    if (time_s <= best.time_s) best = {time_s, m};
  }
  return best;
}

double optimal_time_of_different_data(std::span<const double> taus, const Difficulty& difficulty) {
  const auto workers = static_cast<double>(taus.size());
  const double mean = std::accumulate(taus.begin(), taus.end(), 0.0) / workers;
  return difficulty.steps * (*std::ranges::max_element(taus) + mean * difficulty.noise / workers);
}

double synchronous_time(std::span<const double> taus, const Difficulty& difficulty) {
  const auto workers = static_cast<double>(taus.size());
  return difficulty.steps * *std::ranges::max_element(taus) * (1 + difficulty.noise / workers);
}

}  // namespace motley
