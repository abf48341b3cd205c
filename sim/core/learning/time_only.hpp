#pragma once

#include "sim/core/learning/problem.hpp"

namespace motley {

/// Nothing is learnt: for studies of times alone. One parameter, so that models and gradients
/// exist.
class TimeOnly final : public Problem {
 public:
  explicit TimeOnly(std::size_t samples) : samples_(samples) {}

  std::size_t dimension() const override { return 1; }
  std::vector<std::size_t> layers() const override { return {1}; }
  std::size_t train_size() const override { return samples_; }
  std::size_t test_size() const override { return 1; }
  bool has_accuracy() const override { return false; }
  bool is_real() const override { return false; }
  double flops_per_sample() const override { return 0; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void initial_model(std::uint64_t, std::span<float> x) const override { x[0] = 0; }
  double gradient(std::span<const float>, std::span<const Sample>, std::span<float> g,
                  Workspace&) const override {
    g[0] = 0;
    return 0;
  }
  EvaluationSum evaluate(std::span<const float>, std::size_t, std::size_t,
                         Workspace&) const override {
    return {};
  }

 private:
  std::size_t samples_;
};

}  // namespace motley
