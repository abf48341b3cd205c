#include "sim/learning/models/layers/residual_block.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace motley {
namespace {

constexpr std::size_t residual_kernel = 3;

/// What the shortcut makes of a block of images, where it is not the input itself.
struct Shortcut {
  Planes input, output;
  std::size_t stride, count;

  bool is_identity() const { return stride == 1 && input.shape == output.shape; }

  /// f(where in the input, where in the output, how many channels), block by block.
  template <class F>
  void for_pixels(const F& f) const {
    for (std::size_t image = 0; image < count; ++image)
      for (std::size_t c = 0; c < input.shape.channels; c += channel_block)
        for (std::size_t y = 0; y < output.shape.height; ++y)
          for (std::size_t x = 0; x < output.shape.width; ++x)
            f(image * input.size() + input.at(c, y * stride, x * stride),
              image * output.size() + output.at(c, y, x),
              std::min(channel_block, input.shape.channels - c));
  }
};

template <class S>
struct ResidualParts {
  std::unique_ptr<LayerRun<S>> first, first_norm, second;
  std::size_t first_norm_at, second_at, second_norm_at;  // where their parameters begin
};

template <class S>
class ResidualBlockRun final : public LayerRun<S> {
 public:
  ResidualBlockRun(ResidualParts<S> parts, const Shortcut& shortcut, std::size_t groups)
      : parts_(std::move(parts)),
        second_norm_(shortcut.output, groups, true, shortcut.count),
        shortcut_(shortcut),
        added_(shortcut.is_identity() ? 0 : shortcut.count * shortcut.output.size()),
        added_delta_(shortcut.count * shortcut.output.size()) {}

  void load(const S* x) override {
    parts_.first->load(x);
    parts_.first_norm->load(x + parts_.first_norm_at);
    parts_.second->load(x + parts_.second_at);
    second_norm_.load(x + parts_.second_norm_at);
  }

  const S* forward(const S* input) override {
    first_ = parts_.first->forward(input);
    first_norm_ = parts_.first_norm->forward(first_);
    second_ = parts_.second->forward(first_norm_);
    if (shortcut_.is_identity()) return second_norm_.forward_adding(second_, input);
    shortcut_.for_pixels([&](std::size_t from, std::size_t to, std::size_t) {
      store_lanes(added_.data() + to, load_lanes(input + from));
    });
    return second_norm_.forward_adding(second_, added_.data());
  }

  S* backward(const S* input, S* delta, S* spare, const GradientSum<S>& sum) override {
    S* at = second_norm_.backward_adding(second_, delta, added_delta_.data(),
                                         sum.from(parts_.second_norm_at));
    const auto other = [&] { return at == delta ? spare : delta; };
    at = parts_.second->backward(first_norm_, at, other(), sum.from(parts_.second_at));
    at = parts_.first_norm->backward(first_, at, other(), sum.from(parts_.first_norm_at));
    at = parts_.first->backward(input, at, other(), sum);
    if (at == nullptr) return nullptr;
    if (shortcut_.is_identity()) {
      for (std::size_t i = 0; i < added_delta_.size(); ++i) at[i] += added_delta_.data()[i];
    } else {
      shortcut_.for_pixels([&](std::size_t to, std::size_t from, std::size_t channels) {
        for (std::size_t c = 0; c < channels; ++c) at[to + c] += added_delta_.data()[from + c];
      });
    }
    return at;
  }

 private:
  ResidualParts<S> parts_;
  GroupNormalisation::Run<S> second_norm_;
  Shortcut shortcut_;
  Buffer<S> added_, added_delta_;
  const S* first_ = nullptr;
  const S* first_norm_ = nullptr;
  const S* second_ = nullptr;
};

}  // namespace

ResidualBlock::ResidualBlock(const Planes& input, std::size_t channels, std::size_t stride,
                             std::size_t groups)
    : input_(input),
      stride_(stride),
      groups_(groups),
      first_(input, {channels, residual_kernel, stride, false, false}),
      first_norm_(first_.output(), groups, true),
      second_(first_.output(), {channels, residual_kernel, 1, false, false}),
      second_norm_(second_.output(), groups, true) {}

std::size_t ResidualBlock::parameters() const {
  return first_.parameters() + first_norm_.parameters() + second_.parameters() +
         second_norm_.parameters();
}

void ResidualBlock::initialise(RandomStream& random, std::span<float> x) const {
  const std::array<const NetworkLayer*, 4> layers{&first_, &first_norm_, &second_, &second_norm_};
  for (const NetworkLayer* layer : layers) {
    layer->initialise(random, x.first(layer->parameters()));
    x = x.subspan(layer->parameters());
  }
}

void ResidualBlock::describe(std::vector<Layer>& layers) const {
  first_.describe(layers);
  first_norm_.describe(layers);
  second_.describe(layers);
  second_norm_.describe(layers);
}

template <class S>
std::unique_ptr<LayerRun<S>> ResidualBlock::make_run(const RunOptions& options) const {
  RunOptions inner = options;
  inner.input_gradient = true;
  ResidualParts<S> parts{.first = first_.run<S>(options),
                         .first_norm = first_norm_.run<S>(inner),
                         .second = second_.run<S>(inner),
                         .first_norm_at = first_.parameters(),
                         .second_at = first_.parameters() + first_norm_.parameters(),
                         .second_norm_at = parameters() - second_norm_.parameters()};
  return std::make_unique<ResidualBlockRun<S>>(
      std::move(parts), Shortcut{input_, output(), stride_, options.count}, groups_);
}

std::unique_ptr<LayerRun<float>> ResidualBlock::in_float(const RunOptions& options) const {
  return make_run<float>(options);
}

std::unique_ptr<LayerRun<double>> ResidualBlock::in_double(const RunOptions& options) const {
  return make_run<double>(options);
}

}  // namespace motley
