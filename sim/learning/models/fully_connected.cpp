#include "sim/learning/models/fully_connected.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <boost/random/normal_distribution.hpp>

#include "sim/base/random.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/cross_entropy.hpp"
#include "sim/learning/models/matrix_product.hpp"

namespace motley {
namespace {

/// Larger batches are computed in blocks of so many samples, which fit the second-level cache.
constexpr std::size_t block_size = 64;

/// Rows of activations start at multiples of a cache line.
std::size_t padded(std::size_t width) {
  return (width + 15) / 16 * 16;
}

void add_biases(ResultRows z, std::size_t count, std::size_t width, const float* biases,
                bool rectify) {
  for (std::size_t s = 0; s < count; ++s) {
    float* row = z[s];
    if (rectify) {
      // Written so that NaN stays NaN: a diverged model must show.
      for (std::size_t i = 0; i < width; ++i) {
        const float value = row[i] + biases[i];
        row[i] = value < 0.0F ? 0.0F : value;
      }
    } else {
      for (std::size_t i = 0; i < width; ++i) row[i] += biases[i];
    }
  }
}

/// Clears the gradient where the rectifier was off.
void rectify_gradient(ResultRows gradient, EvenRows activation, std::size_t count,
                      std::size_t width) {
  for (std::size_t s = 0; s < count; ++s) {
    float* row = gradient[s];
    const float* on = activation[s];
    for (std::size_t i = 0; i < width; ++i) row[i] = on[i] == 0.0F ? 0.0F : row[i];
  }
}

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

/// Activations and gradients of one block of samples.
class FullyConnected::Memory final : public Workspace {
 public:
  explicit Memory(const std::vector<Layer>& layers) {
    std::size_t widest = 0;
    for (const Layer& layer : layers) {
      const std::size_t width = padded(layer.outputs);
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
    layers_.push_back({inputs, outputs, start});
    start += layers_.back().size();
    inputs = outputs;
  };
  for (const std::size_t width : hidden) add(width);
  add(data.classes);
}

std::size_t FullyConnected::dimension() const {
  return layers_.back().weights + layers_.back().size();
}

std::vector<motley::Layer> FullyConnected::layers() const {
  std::vector<motley::Layer> layers;
  for (const Layer& layer : layers_) {
    const double weights = static_cast<double>(layer.inputs) * static_cast<double>(layer.outputs);
    layers.push_back({layer.size(), 2 * weights, (layer.weights == 0 ? 2 : 4) * weights});
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
  boost::random::normal_distribution<double> normal;
  for (const Layer& layer : layers_) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(layer.inputs));
    for (float& weight : x.subspan(layer.weights, layer.inputs * layer.outputs)) {
      weight = static_cast<float>(deviation * normal(random));
    }
  }
}

template <class Rows>
void FullyConnected::forward(const float* x, const Rows& samples, std::size_t count,
                             Memory& memory) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const EvenRows weights{x + layer.weights, layer.inputs};
    const ResultRows output = memory.output(l);
    if (l == 0) {
      multiply_transposed(samples, count, weights, layer.outputs, layer.inputs, output);
    } else {
      multiply_transposed(memory.activations(l - 1), count, weights, layer.outputs, layer.inputs,
                          output);
    }
    add_biases(output, count, layer.outputs, x + layer.biases(), l + 1 < layers_.size());
  }
}

/// From the gradient of the logits in memory to g, which the first block overwrites.
template <class Rows>
void FullyConnected::backward(const float* x, const Rows& samples, std::size_t count, bool first,
                              float* g, Memory& memory) const {
  // The product starts from what is kept: the decayed weights at first, then the blocks before.
  const float keep = first ? static_cast<float>(weight_decay_) : 1.0F;
  const float* kept = first ? x : g;
  ResultRows delta = memory.output(layers_.size() - 1);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const Combination weights{.height = layer.outputs,
                              .width = layer.inputs,
                              .terms = count,
                              .factors = delta.first,
                              .row_step = 1,
                              .term_step = delta.stride,
                              .keep = keep,
                              .kept = {kept + layer.weights, layer.inputs},
                              .result = {g + layer.weights, layer.inputs}};
    if (l == 0) {
      combine(weights, samples);
    } else {
      combine(weights, memory.activations(l - 1));
    }

    const float* kept_biases = kept + layer.biases();
    float* biases = g + layer.biases();
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      biases[o] = keep == 0.0F ? 0.0F : keep * kept_biases[o];
    }
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t o = 0; o < layer.outputs; ++o) biases[o] += delta[s][o];
    }

    if (l > 0) {
      const ResultRows below = memory.gradient(l - 1);
      combine({.height = count,
               .width = layer.inputs,
               .terms = layer.outputs,
               .factors = delta.first,
               .row_step = delta.stride,
               .term_step = 1,
               .keep = 0,
               .kept = {},
               .result = below},
              EvenRows{x + layer.weights, layer.inputs});
      rectify_gradient(below, memory.activations(l - 1), count, layer.inputs);
      delta = below;
    }
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
  loss /= static_cast<double>(samples.size());
  if (weight_decay_ != 0) loss += weight_decay_ / 2 * squared_norm(x);
  return loss;
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

FieldInfo weight_decay_field() {
  return {.name = "weight_decay",
          .doc = "adds weight_decay/2 times the squared norm of the parameters to the objective",
          .fallback = 0.0,
          .minimum = 0};
}

}  // namespace motley
