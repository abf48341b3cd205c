#include <algorithm>

#include "sim/learning/models/layers/convolution_kernel.hpp"

namespace motley {
namespace {

/// Output channels are the lanes of vectors; all sums are in the order in which they are written.
template <class S>
class PlainConvolution final : public ConvolutionKernel<S> {
 public:
  PlainConvolution(const ConvolutionShape& shape, std::size_t count)
      : shape_(shape),
        count_(count),
        weights_(shape.output.groups() * taps() * channel_block),
        biases_(shape.output.groups() * channel_block),
        weight_sums_(weights_.size()),
        surrounded_(shape.input.shape.channels * rows() * columns()) {}

  void load(const S* parameters) override {
    for_weights(
        [&](std::size_t i, std::size_t packed) { weights_.data()[packed] = parameters[i]; });
    if (!shape_.biased) return;
    std::copy_n(parameters + shape_.weights(), shape_.output.shape.channels, biases_.data());
  }

  void forward(const S* input, S* output) override {
    for_rows([&](std::size_t image, std::size_t group, std::size_t y) {
      const Lanes<S> bias = load_lanes(biases_.data() + group * channel_block);
      S* to = output + output_at(image, group, y);
      for (std::size_t x = 0; x < width(); ++x) store_lanes(to + x * channel_block, bias);
      for_taps(y, [&](std::size_t tap, const Run& run) {
        const Lanes<S> weight = load_lanes(weights_.data() + weight_at(group, tap));
        const S* from = input + image * shape_.input.size() + run.input;
        for (std::size_t x = run.begin; x < run.end; ++x, from += run.step) {
          S* sum = to + x * channel_block;
          store_lanes(sum, Lanes<S>(load_lanes(sum) + *from * weight));
        }
      });
    });
  }

  void backward_parameters(const S* input, const S* delta, S* gradient) override {
    std::fill_n(weight_sums_.data(), weight_sums_.size(), S{0});
    for (std::size_t image = 0; image < count_; ++image) {
      surround_with_zeros(input + image * shape_.input.size());
      for (std::size_t group = 0; group < shape_.output.groups(); ++group) {
        const S* d = delta + output_at(image, group, 0);
        for (std::size_t row = 0; row < shape_.input.shape.channels * shape_.kernel; ++row) {
          add_weight_row(row, d, weight_sums_.data() + weight_at(group, row * shape_.kernel));
        }
      }
    }
    for_weights(
        [&](std::size_t i, std::size_t packed) { gradient[i] = weight_sums_.data()[packed]; });
    if (!shape_.biased) return;
    S* biases = gradient + shape_.weights();
    for (std::size_t c = 0; c < shape_.output.shape.channels; ++c) {
      biases[c] = 0;
      for (std::size_t image = 0; image < count_; ++image) {
        const S* from = delta + output_at(image, c / channel_block, 0) + c % channel_block;
        for (std::size_t p = 0; p < shape_.output.pixels(); ++p) {
          biases[c] += from[p * channel_block];
        }
      }
    }
  }

  void backward_input(const S* delta, S* input_delta) override {
    std::fill_n(input_delta, count_ * shape_.input.size(), S{0});
    for_rows([&](std::size_t image, std::size_t group, std::size_t y) {
      const S* d = delta + output_at(image, group, y);
      for_taps(y, [&](std::size_t tap, const Run& run) {
        const Lanes<S> weight = load_lanes(weights_.data() + weight_at(group, tap));
        S* to = input_delta + image * shape_.input.size() + run.input;
        for (std::size_t x = run.begin; x < run.end; ++x, to += run.step) {
          const Lanes<S> products = weight * load_lanes(d + x * channel_block);
          S sum = 0;
          for (std::size_t lane = 0; lane < channel_block; ++lane) sum += products[lane];
          *to += sum;
        }
      });
    });
  }

 private:
  /// The channels of an image, one by one, with the zeros around them.
  void surround_with_zeros(const S* image) {
    const ImageShape& shape = shape_.input.shape;
    for (std::size_t c = 0; c < shape.channels; ++c) {
      for (std::size_t y = 0; y < shape.height; ++y) {
        const S* from = image + shape_.input.at(c, y, 0);
        S* to = surrounded_.data() + (c * rows() + y + shape_.above) * columns() + shape_.left;
        for (std::size_t x = 0; x < shape.width; ++x) to[x] = from[x * shape_.input.block];
      }
    }
  }
  std::size_t rows() const { return shape_.above + shape_.input.shape.height + shape_.below; }
  std::size_t columns() const { return shape_.left + shape_.input.shape.width + shape_.right; }

  /// Adds one image's part of the gradient of a row of weights (one input channel, one row of the
  /// kernel), some columns at a time, whose sums are then kept in registers.
  void add_weight_row(std::size_t row, const S* delta, S* sums) const {
    const std::size_t k = shape_.kernel;
    const S* from = surrounded_.data() + (row / k * rows() + row % k) * columns();
    for (std::size_t begin = 0; begin < k;) {
      const std::size_t left = k - begin;
      S* to = sums + begin * channel_block;
      if (left >= 5) {
        begin += add_weights<5>(from + begin, delta, to);
      } else if (left >= 3) {
        begin += add_weights<3>(from + begin, delta, to);
      } else {
        begin += add_weights<1>(from + begin, delta, to);
      }
    }
  }

  template <std::size_t N>
  std::size_t add_weights(const S* from, const S* delta, S* to) const {
    Lanes<S> sums[N] = {};
    for (std::size_t y = 0; y < shape_.output.shape.height; ++y) {
      for (std::size_t x = 0; x < width(); ++x, delta += channel_block) {
        const Lanes<S> d = load_lanes(delta);
        for (std::size_t i = 0; i < N; ++i) sums[i] += from[x * shape_.stride + i] * d;
      }
      from += shape_.stride * columns();
    }
    for (std::size_t i = 0; i < N; ++i) {
      store_lanes(to + i * channel_block, Lanes<S>(load_lanes(to + i * channel_block) + sums[i]));
    }
    return N;
  }

  /// Weights of one output channel.
  std::size_t taps() const { return shape_.input.shape.channels * shape_.kernel * shape_.kernel; }
  std::size_t weight_at(std::size_t group, std::size_t tap) const {
    return (group * taps() + tap) * channel_block;
  }
  std::size_t width() const { return shape_.output.shape.width; }
  std::size_t output_at(std::size_t image, std::size_t group, std::size_t y) const {
    return image * shape_.output.size() + shape_.output.at(group * channel_block, y, 0);
  }

  /// f(index among the parameters, index in the order used here).
  template <class F>
  void for_weights(const F& f) const {
    for (std::size_t c = 0, i = 0; c < shape_.output.shape.channels; ++c) {
      for (std::size_t tap = 0; tap < taps(); ++tap, ++i) {
        f(i, weight_at(c / channel_block, tap) + c % channel_block);
      }
    }
  }

  /// f(image, group of output channels, output row).
  template <class F>
  void for_rows(const F& f) const {
    for (std::size_t image = 0; image < count_; ++image)
      for (std::size_t group = 0; group < shape_.output.groups(); ++group)
        for (std::size_t y = 0; y < shape_.output.shape.height; ++y) f(image, group, y);
  }

  /// The pixels [begin, end) of an output row at which a weight meets a pixel of the image: the
  /// first of these, and how far the next one is.
  struct Run {
    std::size_t begin, end, input, step;
  };

  /// f(weight, run) for all weights that meet the image.
  template <class F>
  void for_taps(std::size_t y, const F& f) const {
    const ImageShape& image = shape_.input.shape;
    const std::size_t stride = shape_.stride;
    const std::size_t k = shape_.kernel;
    for (std::size_t ky = 0; ky < k; ++ky) {
      const std::size_t row = y * stride + ky;  // counted from the zeros above
      if (row < shape_.above || row - shape_.above >= image.height) continue;
      for (std::size_t kx = 0; kx < k; ++kx) {
        const std::size_t zeros = shape_.left > kx ? shape_.left - kx : 0;
        const std::size_t begin = (zeros + stride - 1) / stride;
        const std::size_t beyond = image.width + shape_.left;  // the column after the image
        const std::size_t end = kx < beyond ? std::min(width(), (beyond - 1 - kx) / stride + 1) : 0;
        if (begin >= end) continue;
        const std::size_t column = begin * stride + kx - shape_.left;
        for (std::size_t channel = 0; channel < image.channels; ++channel) {
          f((channel * k + ky) * k + kx,
            Run{begin, end, shape_.input.at(channel, row - shape_.above, column),
                stride * shape_.input.block});
        }
      }
    }
  }

  ConvolutionShape shape_;
  std::size_t count_;
  Buffer<S> weights_;
  Buffer<S> biases_;
  Buffer<S> weight_sums_;
  Buffer<S> surrounded_;
};

}  // namespace

template <class S>
std::unique_ptr<ConvolutionKernel<S>> plain_convolution(const ConvolutionShape& shape,
                                                        std::size_t count) {
  return std::make_unique<PlainConvolution<S>>(shape, count);
}
template std::unique_ptr<ConvolutionKernel<float>> plain_convolution(const ConvolutionShape&,
                                                                     std::size_t);
template std::unique_ptr<ConvolutionKernel<double>> plain_convolution(const ConvolutionShape&,
                                                                      std::size_t);

#ifndef MOTLEY_HAVE_DNNL

std::unique_ptr<ConvolutionKernel<float>> fast_convolution(const ConvolutionShape& shape,
                                                           std::size_t count) {
  return plain_convolution<float>(shape, count);
}

void convolve_in_this_thread() {}

std::string convolution_code() {
  return "plain";
}

bool convolutions_are_slow() {
  return true;
}

#endif

}  // namespace motley
