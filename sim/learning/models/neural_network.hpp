#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/layers/layer.hpp"
#include "sim/learning/models/problem.hpp"

namespace motley {

using NetworkLayers = std::vector<std::unique_ptr<NetworkLayer>>;

/// How the images of a data set lie in memory.
Planes planes_of(const ImageShape& shape);

/// Layers one after the other at work on blocks of `count` images; the last one puts out logits.
template <class S>
class NetworkRun {
 public:
  NetworkRun(const NetworkLayers& layers, std::size_t count, bool plain_kernels = false);

  /// The parameters at which everything is computed from now on; they must stay.
  void load(const S* x);
  /// Where all layers are flexible: a block has so many images from now on, at most `count`.
  void take(std::size_t count);
  /// forward() and backward() end by GivenUp between two layers once that is asked for here.
  void watch(const Workspace* workspace) { watched_ = workspace; }
  /// Logits, one row per image; `input` must stay until backward() is done.
  const S* forward(const S* input);
  /// The same where all layers are flexible, on those rows of `all` that `index` numbers.
  const S* forward_picked(const S* all, const Sample* index);
  /// After forward(). The gradient with respect to the logits is to be written here first.
  S* logit_delta() { return deltas_[0].data(); }
  void backward(const GradientSum<S>& sum);

 private:
  const S* forward_above_the_first(const S* input);

  std::vector<std::unique_ptr<LayerRun<S>>> layers_;
  std::vector<std::size_t> begins_;  // of each layer's parameters
  std::size_t lowest_ = 0;           // the first layer that has any
  std::vector<const S*> inputs_;     // of each layer
  std::vector<Buffer<S>> deltas_;
  const Workspace* watched_ = nullptr;
};

/// A neural network that ends in softmax cross-entropy; with a single dense layer it is softmax regression.
/// Parameters lie layer by layer, input first. Weight decay covers all of them; it is part of
/// gradient() and of the objective that gradient() returns, not of evaluate().
///
/// A batch is computed in blocks whose activations fit the caches. Where all layers are flexible, as in
/// an mlp, samples are read where they lie; otherwise blocks have 1, 2, 4, ... images, so that few of
/// them have to be prepared whatever the batch sizes.
class NeuralNetwork final : public Problem {
 public:
  /// `data` must outlive this, and lie as the first layer takes it.
  NeuralNetwork(const Dataset& data, NetworkLayers layers, double weight_decay);

  std::size_t dimension() const override { return dimension_; }
  std::vector<Layer> layers() const override;
  std::size_t train_size() const override { return data_.train.size(); }
  std::size_t test_size() const override { return data_.test.size(); }
  bool has_accuracy() const override { return true; }
  std::string remark() const override;
  const NetworkLayers& parts() const { return layers_; }

  std::unique_ptr<Workspace> make_workspace() const override;
  /// He-normal weights; biases are zero, normalisations begin as what they are. All zero in softmax
  /// regression, whose objective is convex.
  void initial_model(std::uint64_t seed, std::span<float> x) const override;
  double gradient(std::span<const float> x, std::span<const Sample> samples, std::span<float> g,
                  Workspace& workspace) const override;
  EvaluationSum evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                         Workspace& workspace) const override;

 private:
  class Memory;

  /// How many of the images that are left make the next block.
  std::size_t block_of(std::size_t left) const;
  const float* forward(std::span<const Sample> samples, std::span<const Variation> variations,
                       NetworkRun<float>& run, Memory& memory) const;

  const Dataset& data_;
  NetworkLayers layers_;
  double weight_decay_;
  std::size_t dimension_ = 0;
  bool flexible_;  // all layers are
  std::size_t largest_block_;
};

}  // namespace motley
