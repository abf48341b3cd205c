#include "sim/learning/models/estimated_constants.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/base/random.hpp"

namespace motley {
namespace {

double squared_distance(std::span<const float> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

ProblemConstants estimated_constants(const Problem& problem, std::uint64_t seed) {
  constexpr std::size_t batches = 32;
  constexpr std::size_t batch = 8;
  RandomStream random(seed, "constants", 0);
  std::vector<Sample> samples(batches * batch);
  for (Sample& sample : samples) sample = static_cast<Sample>(random() % problem.train_size());
  const auto batch_at = [&](std::size_t k) { return std::span(samples).subspan(k * batch, batch); };
  const auto workspace = problem.make_workspace();
  std::vector<float> x(problem.dimension());
  problem.initial_model(seed, x);

  std::vector<std::vector<float>> gradients(batches, std::vector<float>(x.size()));
  std::vector<double> mean(x.size(), 0.0);
  double loss = 0;
  for (std::size_t k = 0; k < batches; ++k) {
    loss += problem.gradient(x, batch_at(k), gradients[k], *workspace) / batches;
    for (std::size_t i = 0; i < x.size(); ++i) mean[i] += gradients[k][i] / double{batches};
  }
  double variance = 0;
  for (const std::vector<float>& g : gradients) variance += squared_distance(g, mean);
  variance *= double{batch} / double{batches - 1};

  double norm = 0;  // of the mean gradient
  double size = 0;  // of the model
  for (std::size_t i = 0; i < x.size(); ++i) {
    norm += mean[i] * mean[i];
    size += static_cast<double>(x[i]) * x[i];
  }
  norm = std::sqrt(norm);
  if (norm == 0) return {0, loss, variance};
  const double length = 0.01 * std::max(1.0, std::sqrt(size));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] -= static_cast<float>(length * mean[i] / norm);
  }
  std::vector<float> g(x.size());
  for (std::size_t k = 0; k < batches; ++k) {
    problem.gradient(x, batch_at(k), g, *workspace);
    for (std::size_t i = 0; i < x.size(); ++i) mean[i] -= g[i] / double{batches};
  }
  double change = 0;
  for (const double difference : mean) change += difference * difference;
  return {std::sqrt(change) / length, loss, variance};
}

}  // namespace motley
