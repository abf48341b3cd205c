#include "sim/learning/models/layers/max_pooling.hpp"

namespace motley {
namespace {

/// Vectors run along the channels of a block; the images of data, which are not in blocks, are
/// handled number by number.
template <class S, bool Blocked>
class MaxPoolingRun final : public LayerRun<S> {
 public:
  MaxPoolingRun(const Planes& input, const Planes& output, std::size_t size, std::size_t count)
      : size_(size),
        planes_(count * input.groups()),
        input_width_(input.shape.width),
        width_(output.shape.width),
        height_(output.shape.height),
        output_(count * output.size()) {}

  const S* forward(const S* input) override {
    S* to = output_.data();
    for_windows([&](std::size_t first) {
      const S* window = input + first;
      Numbers largest = take(window);
      for (std::size_t y = 0; y < size_; ++y) {
        for (std::size_t x = 0; x < size_; ++x) {
          const Numbers other = take(window + at(y, x));
          largest = (other > largest) | (other != other) ? other : largest;  // NaN must show
        }
      }
      put(to, largest);
      to += lanes;
    });
    return output_.data();
  }

  S* backward(const S* input, S* delta, S* spare, const GradientSum<S>&) override {
    std::size_t done = 0;
    for_windows([&](std::size_t first) {
      const Numbers largest = take(output_.data() + done);
      Numbers left = take(delta + done);
      for (std::size_t y = 0; y < size_; ++y) {
        for (std::size_t x = 0; x < size_; ++x) {
          const std::size_t i = first + at(y, x);
          const auto here = take(input + i) == largest;
          const Numbers zero{};
          put(spare + i, here ? left : zero);
          left = here ? zero : left;
        }
      }
      done += lanes;
    });
    return spare;
  }

 private:
  static constexpr std::size_t lanes = Blocked ? channel_block : 1;
  using Numbers = std::conditional_t<Blocked, Lanes<S>, S>;

  [[gnu::always_inline]] static Numbers take(const S* from) {
    Numbers numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return numbers;
  }
  [[gnu::always_inline]] static void put(S* to, const Numbers& numbers) {
    std::memcpy(to, &numbers, sizeof numbers);
  }

  std::size_t at(std::size_t y, std::size_t x) const { return (y * input_width_ + x) * lanes; }

  /// f(where the window begins in the input), in the order of the output.
  template <class F>
  void for_windows(const F& f) const {
    std::size_t plane = 0;
    for (std::size_t i = 0; i < planes_; ++i) {
      for (std::size_t y = 0; y < height_; ++y)
        for (std::size_t x = 0; x < width_; ++x) f(plane + at(y * size_, x * size_));
      plane += at(height_ * size_, 0);
    }
  }

  std::size_t size_, planes_, input_width_, width_, height_;
  Buffer<S> output_;
};

template <class S>
std::unique_ptr<LayerRun<S>> max_pooling_run(const Planes& input, const Planes& output,
                                             std::size_t size, std::size_t count) {
  if (input.block == 1) {
    return std::make_unique<MaxPoolingRun<S, false>>(input, output, size, count);
  }
  return std::make_unique<MaxPoolingRun<S, true>>(input, output, size, count);
}

}  // namespace

std::unique_ptr<LayerRun<float>> MaxPooling::in_float(const RunOptions& options) const {
  return max_pooling_run<float>(input_, output(), size_, options.count);
}

std::unique_ptr<LayerRun<double>> MaxPooling::in_double(const RunOptions& options) const {
  return max_pooling_run<double>(input_, output(), size_, options.count);
}

}  // namespace motley
