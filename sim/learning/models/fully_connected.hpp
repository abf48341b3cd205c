#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/layers/dense_kernel.hpp"
#include "sim/learning/models/problem.hpp"

namespace motley {

/// Fully connected layers with ReLU, ending in softmax cross-entropy; without hidden layers
/// it is softmax regression. Parameters lie layer by layer, input layer first, each as its weights
/// (one row of inputs per output) and then its biases. Weight decay covers all of them, biases too;
/// it is part of gradient() and of the objective gradient() returns, not of evaluate().
class FullyConnected final : public Problem {
 public:
  /// `data` must outlive this.
  FullyConnected(const Dataset& data, const std::vector<std::size_t>& hidden, double weight_decay);

  std::size_t dimension() const override;
  /// 2 flops per weight forward, 2 for its gradient, 2 for the gradient of its input, which the
  /// first layer does not need. Biases, activations and the loss are not counted.
  std::vector<motley::Layer> layers() const override;
  std::size_t train_size() const override { return data_.train.size(); }
  std::size_t test_size() const override { return data_.test.size(); }
  bool has_accuracy() const override { return true; }

  std::unique_ptr<Workspace> make_workspace() const override;
  /// He-normal weights and zero biases; all zero without hidden layers, where the objective is
  /// convex.
  void initial_model(std::uint64_t seed, std::span<float> x) const override;
  double gradient(std::span<const float> x, std::span<const Sample> samples, std::span<float> g,
                  Workspace& workspace) const override;
  EvaluationSum evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                         Workspace& workspace) const override;

 private:
  class Memory;

  struct Layer {
    DenseShape shape;
    std::size_t begin;  // where its parameters start in x
  };

  template <class Rows>
  void forward(const float* x, const Rows& samples, std::size_t count, Memory& memory) const;
  template <class Rows>
  void backward(const float* x, const Rows& samples, std::size_t count, bool first, float* g,
                Memory& memory) const;

  const Dataset& data_;
  double weight_decay_;
  std::vector<Layer> layers_;
};

}  // namespace motley
