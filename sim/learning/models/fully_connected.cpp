#include "sim/learning/models/fully_connected.hpp"

#include <algorithm>
#include <array>

#include "sim/base/random.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/cross_entropy.hpp"
#include "sim/learning/models/layers/dense_kernel.hpp"
#include "sim/learning/models/weight_decay.hpp"

namespace motley {
namespace {

/// Larger batches are computed in blocks of so many samples, which fit the second-level cache.
constexpr std::size_t block_size = 64;

/// Rows of activations start at multiples of a cache line.
std::size_t padded(std::size_t width) {
  return (width + 15) / 16 * 16;
}

}  // namespace

/// Activations and gradients of one block of samples.
class FullyConnected::Memory final : public Workspace {
 public:
  explicit Memory(const std::vector<Layer>& layers) {
    std::size_t widest = 0;
    for (const Layer& layer : layers) {
      const std::size_t width = padded(layer.shape.outputs);
      outputs_.push_back(
          {Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(width * block_size)), width});
      widest = std::max(widest, width);
    }
    if (layers.size() > 1) {
      for (Eigen::ArrayXf& buffer : gradients_) {
        buffer.setZero(static_cast<Eigen::Index>(widest * block_size));
      }
    }
  }

  /// What layer `l` puts out: activations, or at the end logits and then their gradient.
  ResultRows output(std::size_t l) { return {outputs_[l].values.data(), outputs_[l].stride}; }
  EvenRows activations(std::size_t l) const {
    return {outputs_[l].values.data(), outputs_[l].stride};
  }
  /// Gradient with respect to the output of hidden layer `l`; neighbouring layers do not share.
  ResultRows gradient(std::size_t l) { return {gradients_[l % 2].data(), outputs_[l].stride}; }

  std::array<std::uint16_t, block_size> labels{};

 private:
  struct Output {
    Eigen::ArrayXf values;
    std::size_t stride;
  };
  std::vector<Output> outputs_;
  std::array<Eigen::ArrayXf, 2> gradients_;
};

FullyConnected::FullyConnected(const Dataset& data, const std::vector<std::size_t>& hidden,
                               double weight_decay)
    : data_(data), weight_decay_(weight_decay) {
  std::size_t inputs = data.features();
  std::size_t start = 0;
  const auto add = [&](std::size_t outputs) {
    layers_.push_back({{inputs, outputs}, start});
    start += layers_.back().shape.parameters();
    inputs = outputs;
  };
  for (const std::size_t width : hidden) add(width);
  add(data.classes);
}

std::size_t FullyConnected::dimension() const {
  return layers_.back().begin + layers_.back().shape.parameters();
}

std::vector<motley::Layer> FullyConnected::layers() const {
  std::vector<motley::Layer> layers;
  for (const Layer& layer : layers_) {
    const double flops = layer.shape.flops();
    layers.push_back({layer.shape.parameters(), flops, (layer.begin == 0 ? 1 : 2) * flops});
  }
  return layers;
}

std::unique_ptr<Workspace> FullyConnected::make_workspace() const {
  return std::make_unique<Memory>(layers_);
}

void FullyConnected::initial_model(std::uint64_t seed, std::span<float> x) const {
  std::fill(x.begin(), x.end(), 0.0F);
  if (layers_.size() == 1) return;
  RandomStream random(seed, Purpose::initial_model);
  for (const Layer& layer : layers_) {
    initialise_normal(random, layer.shape.inputs, x.subspan(layer.begin, layer.shape.weights()));
  }
}

template <class Rows>
void FullyConnected::forward(const float* x, const Rows& samples, std::size_t count,
                             Memory& memory) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const bool rectified = l + 1 < layers_.size();
    if (l == 0) {
      dense_forward(layer.shape, x, samples, count, rectified, memory.output(l));
    } else {
      dense_forward(layer.shape, x + layer.begin, memory.activations(l - 1), count, rectified,
                    memory.output(l));
    }
  }
}

/// From the gradient of the logits in memory to g, which the first block overwrites.
template <class Rows>
void FullyConnected::backward(const float* x, const Rows& samples, std::size_t count, bool first,
                              float* g, Memory& memory) const {
  // The product starts from what is kept: the decayed weights at first, then the blocks before.
  const GradientSum<float> sum{first ? static_cast<float>(weight_decay_) : 1.0F, first ? x : g, g};
  EvenRows delta = memory.activations(layers_.size() - 1);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    if (l == 0) {
      dense_backward_parameters(layer.shape, samples, delta, count, sum);
      return;
    }
    const EvenRows input = memory.activations(l - 1);
    dense_backward_parameters(layer.shape, input, delta, count, sum.from(layer.begin));
    const ResultRows below = memory.gradient(l - 1);
    dense_backward_input(layer.shape, x + layer.begin, delta, count, below);
    for (std::size_t s = 0; s < count; ++s) {
      rectify_gradient(below[s], input[s], layer.shape.inputs);
    }
    delta = {below.first, below.stride};
  }
}

double FullyConnected::gradient(std::span<const float> x, std::span<const Sample> samples,
                                std::span<float> g, Workspace& workspace) const {
  Memory& memory = dynamic_cast<Memory&>(workspace);
  const EvenRows features{data_.train.features.data(), data_.features()};
  const float scale = 1.0F / static_cast<float>(samples.size());
  const std::span<float> losses = workspace.sample_losses;
  double loss = 0;
  for (std::size_t begin = 0; begin < samples.size(); begin += block_size) {
    const std::size_t count = std::min(block_size, samples.size() - begin);
    const PickedRows rows{features, samples.data() + begin};
    for (std::size_t s = 0; s < count; ++s) memory.labels[s] = data_.train.labels[rows.index[s]];
    forward(x.data(), rows, count, memory);
    const ResultRows logits = memory.output(layers_.size() - 1);
    loss += cross_entropy_gradient({logits.first, logits.stride, data_.classes},
                                   {memory.labels.data(), count}, scale,
                                   losses.empty() ? losses : losses.subspan(begin, count));
    backward(x.data(), rows, count, begin == 0, g.data(), memory);
  }
  return loss / static_cast<double>(samples.size()) + weight_decay_term(weight_decay_, x);
}

EvaluationSum FullyConnected::evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                                       Workspace& workspace) const {
  Memory& memory = dynamic_cast<Memory&>(workspace);
  const EvenRows features{data_.test.features.data(), data_.features()};
  EvaluationSum sum;
  for (; begin < end; begin += block_size) {
    const std::size_t count = std::min(block_size, end - begin);
    forward(x.data(), EvenRows{features[begin], features.stride}, count, memory);
    const ResultRows logits = memory.output(layers_.size() - 1);
    const EvaluationSum part =
        cross_entropy_evaluate({logits.first, logits.stride, data_.classes},
                               std::span(data_.test.labels).subspan(begin, count));
    sum.loss += part.loss;
    sum.correct += part.correct;
  }
  return sum;
}

}  // namespace motley
