#include "sim/learning/models/neural_network.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <functional>
#include <map>
#include <thread>

#include "sim/learning/data/augmentation.hpp"
#include "sim/learning/models/cross_entropy.hpp"
#include "sim/learning/models/layers/convolution_kernel.hpp"
#include "sim/learning/models/weight_decay.hpp"

namespace motley {
namespace {

/// A block's outputs are to stay in the caches from the forward to the backward pass.
constexpr std::size_t block_bytes = std::size_t{8} << 20;
constexpr std::size_t most_images_in_block = 32;

/// Of flexible layers: their outputs and the samples fit the second-level cache.
constexpr std::size_t flexible_block = 64;

bool are_flexible(const NetworkLayers& layers) {
  return std::all_of(layers.begin(), layers.end(),
                     [](const auto& layer) { return layer->is_flexible(); });
}

std::size_t images_in_block(const NetworkLayers& layers) {
  if (are_flexible(layers)) return flexible_block;
  std::size_t bytes = 0;
  for (const auto& layer : layers) bytes += layer->output().size() * sizeof(float);
  return std::clamp<std::size_t>(std::bit_floor(block_bytes / bytes), 1, most_images_in_block);
}

/// With a stack of its own: making a library's kernels takes more than a simulated worker has.
void in_a_thread_of_its_own(const std::function<void()>& work) {
  std::exception_ptr error;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

}  // namespace

Planes planes_of(const ImageShape& shape) {
  return {shape, 1};
}

// ---- Layers at work ----

template <class S>
NetworkRun<S>::NetworkRun(const NetworkLayers& layers, std::size_t count, bool plain_kernels)
    : inputs_(layers.size()) {
  std::size_t begin = 0;
  std::size_t largest = 0;  // of what has a gradient, which the input has not
  for (const auto& layer : layers) {
    layers_.push_back(layer->run<S>(
        {.count = count, .input_gradient = begin > 0, .plain_kernels = plain_kernels}));
    begins_.push_back(begin);
    if (begin == 0) lowest_ = layers_.size() - 1;
    begin += layer->parameters();
    largest = std::max(largest, layer->output().size());
  }
  for (int i = 0; i < 2; ++i) deltas_.emplace_back(count * largest);
}

template <class S>
void NetworkRun<S>::load(const S* x) {
  for (std::size_t l = 0; l < layers_.size(); ++l) layers_[l]->load(x + begins_[l]);
}

template <class S>
void NetworkRun<S>::take(std::size_t count) {
  for (const auto& layer : layers_) layer->take(count);
}

template <class S>
const S* NetworkRun<S>::forward(const S* input) {
  inputs_[0] = input;
  return forward_above_the_first(layers_[0]->forward(input));
}

template <class S>
const S* NetworkRun<S>::forward_picked(const S* all, const Sample* index) {
  inputs_[0] = all;
  return forward_above_the_first(layers_[0]->forward_picked(all, index));
}

template <class S>
const S* NetworkRun<S>::forward_above_the_first(const S* input) {
  for (std::size_t l = 1; l < layers_.size(); ++l) {
    if (watched_ != nullptr) watched_->throw_if_given_up();
    inputs_[l] = input;
    input = layers_[l]->forward(input);
  }
  return input;
}

template <class S>
void NetworkRun<S>::backward(const GradientSum<S>& sum) {
  S* delta = deltas_[0].data();
  S* spare = deltas_[1].data();
  for (std::size_t l = layers_.size(); l-- > lowest_;) {
    if (watched_ != nullptr) watched_->throw_if_given_up();
    if (layers_[l]->backward(inputs_[l], delta, spare, sum.from(begins_[l])) == spare) {
      std::swap(delta, spare);
    }
  }
}

template class NetworkRun<float>;
template class NetworkRun<double>;

// ---- The problem ----

/// The images of a block, and the layers at work: by the number of these, or for up to the largest.
class NeuralNetwork::Memory final : public Workspace {
 public:
  explicit Memory(const NeuralNetwork& network)
      : network_(network), images_(0), labels_(network.largest_block_) {
    if (network.flexible_) make(runs_[network.largest_block_].run, network.largest_block_);
  }

  /// Ready to compute at x.
  NetworkRun<float>& run(std::size_t count, const float* x) {
    const std::size_t most = network_.flexible_ ? network_.largest_block_ : count;
    Entry& entry = runs_[most];
    if (!entry.run) make(entry.run, most);
    if (!entry.loaded) entry.run->load(x);
    entry.loaded = true;
    if (network_.flexible_) entry.run->take(count);
    return *entry.run;
  }
  /// What was loaded may have changed.
  void forget() {
    for (auto& [count, entry] : runs_) entry.loaded = false;
  }

  /// Room for the images of a block.
  float* images() {
    if (images_.size() == 0) {
      images_ = Buffer<float>(network_.largest_block_ * network_.data_.features());
    }
    return images_.data();
  }
  std::span<std::uint16_t> labels() { return labels_; }

 private:
  struct Entry {
    std::unique_ptr<NetworkRun<float>> run;
    bool loaded = false;
  };

  void make(std::unique_ptr<NetworkRun<float>>& run, std::size_t count) const {
    const auto make = [&] {
      run = std::make_unique<NetworkRun<float>>(network_.layers_, count);
      run->watch(this);
    };
    if (network_.flexible_) return make();
    in_a_thread_of_its_own([&] {
      convolve_in_this_thread();
      make();
    });
  }

  const NeuralNetwork& network_;
  std::map<std::size_t, Entry> runs_;
  Buffer<float> images_;
  std::vector<std::uint16_t> labels_;
};

NeuralNetwork::NeuralNetwork(const Dataset& data, NetworkLayers layers, double weight_decay)
    : data_(data),
      layers_(std::move(layers)),
      weight_decay_(weight_decay),
      flexible_(are_flexible(layers_)),
      largest_block_(images_in_block(layers_)) {
  for (const auto& layer : layers_) dimension_ += layer->parameters();
}

std::vector<Layer> NeuralNetwork::layers() const {
  std::vector<Layer> layers;
  for (const auto& layer : layers_) layer->describe(layers);
  return layers;
}

std::string NeuralNetwork::remark() const {
  if (flexible_ || !convolutions_are_slow()) return "";
  return "convolutions are computed by plain loops, several times slower than by oneDNN: install "
         "libdnnl-dev and build again";
}

std::unique_ptr<Workspace> NeuralNetwork::make_workspace() const {
  return std::make_unique<Memory>(*this);
}

void NeuralNetwork::initial_model(std::uint64_t seed, std::span<float> x) const {
  std::fill(x.begin(), x.end(), 0.0F);
  if (layers_.size() == 1) return;
  RandomStream random(seed, Purpose::initial_model);
  for (const auto& layer : layers_) {
    layer->initialise(random, x.first(layer->parameters()));
    x = x.subspan(layer->parameters());
  }
}

std::size_t NeuralNetwork::block_of(std::size_t left) const {
  return std::min(largest_block_, flexible_ ? left : std::bit_floor(left));
}

/// Of the training samples, varied as said.
const float* NeuralNetwork::forward(std::span<const Sample> samples,
                                    std::span<const Variation> variations, NetworkRun<float>& run,
                                    Memory& memory) const {
  const float* all = data_.train.features.data();
  if (flexible_ && variations.empty()) return run.forward_picked(all, samples.data());
  const std::size_t features = data_.features();
  float* to = memory.images();
  for (std::size_t s = 0; s < samples.size(); ++s, to += features) {
    const float* image = all + samples[s] * features;
    if (variations.empty()) {
      std::copy_n(image, features, to);
    } else {
      vary(image, *data_.shape, variations[s], to);
    }
  }
  return run.forward(memory.images());
}

double NeuralNetwork::gradient(std::span<const float> x, std::span<const Sample> samples,
                               std::span<float> g, Workspace& workspace) const {
  convolve_in_this_thread();
  Memory& memory = dynamic_cast<Memory&>(workspace);
  memory.forget();
  const float scale = 1.0F / static_cast<float>(samples.size());
  const std::span<float> losses = workspace.sample_losses;
  double loss = 0;
  for (std::size_t begin = 0, count = 0; begin < samples.size(); begin += count) {
    count = block_of(samples.size() - begin);
    NetworkRun<float>& run = memory.run(count, x.data());
    const std::span<const Sample> block = samples.subspan(begin, count);
    for (std::size_t s = 0; s < count; ++s) memory.labels()[s] = data_.train.labels[block[s]];
    const std::span<const Variation> variations = workspace.variations;
    const float* logits = forward(
        block, variations.empty() ? variations : variations.subspan(begin, count), run, memory);
    std::copy_n(logits, count * data_.classes, run.logit_delta());
    loss += cross_entropy_gradient({run.logit_delta(), data_.classes, data_.classes},
                                   memory.labels().first(count), scale,
                                   losses.empty() ? losses : losses.subspan(begin, count));
    // Sums start from what is kept: the decayed weights at first, then the blocks before.
    if (begin == 0) {
      run.backward({static_cast<float>(weight_decay_), x.data(), g.data()});
    } else {
      run.backward({1.0F, g.data(), g.data()});
    }
  }
  return loss / static_cast<double>(samples.size()) + weight_decay_term(weight_decay_, x);
}

EvaluationSum NeuralNetwork::evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                                      Workspace& workspace) const {
  convolve_in_this_thread();
  Memory& memory = dynamic_cast<Memory&>(workspace);
  memory.forget();
  EvaluationSum sum;
  for (std::size_t count = 0; begin < end; begin += count) {
    count = block_of(end - begin);
    NetworkRun<float>& run = memory.run(count, x.data());
    const float* logits = run.forward(data_.test.features.data() + begin * data_.features());
    std::copy_n(logits, count * data_.classes, run.logit_delta());  // it will be overwritten
    const EvaluationSum part =
        cross_entropy_evaluate({run.logit_delta(), data_.classes, data_.classes},
                               std::span(data_.test.labels).subspan(begin, count));
    sum.loss += part.loss;
    sum.correct += part.correct;
  }
  return sum;
}

}  // namespace motley
