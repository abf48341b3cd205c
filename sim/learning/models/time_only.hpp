#pragma once

#include <algorithm>
#include <utility>

#include "sim/learning/models/problem.hpp"

namespace motley {

/// Nothing is learnt: for studies of times alone.
class TimeOnly final : public Problem {
 public:
  /// A few parameters, so that models and gradients exist and can be split over servers. What their
  /// layer costs is the scenario's to say.
  explicit TimeOnly(std::size_t samples) : TimeOnly(samples, {{64, 0, 0}}) {}
  /// With the layers of another model, whose times are wanted.
  TimeOnly(std::size_t samples, std::vector<Layer> layers)
      : samples_(samples), layers_(std::move(layers)) {}

  std::size_t dimension() const override {
    std::size_t size = 0;
    for (const Layer& layer : layers_) size += layer.size;
    return size;
  }
  std::vector<Layer> layers() const override { return layers_; }
  std::size_t train_size() const override { return samples_; }
  std::size_t test_size() const override { return 1; }
  bool has_accuracy() const override { return false; }
  bool is_real() const override { return false; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void initial_model(std::uint64_t, std::span<float> x) const override {
    std::fill(x.begin(), x.end(), 0.0F);
  }
  double gradient(std::span<const float>, std::span<const Sample>, std::span<float> g,
                  Workspace&) const override {
    std::fill(g.begin(), g.end(), 0.0F);
    return 0;
  }
  EvaluationSum evaluate(std::span<const float>, std::size_t, std::size_t,
                         Workspace&) const override {
    return {};
  }

 private:
  std::size_t samples_;
  std::vector<Layer> layers_;
};

}  // namespace motley
