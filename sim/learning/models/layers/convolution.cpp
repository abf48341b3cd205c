#include "sim/learning/models/layers/convolution.hpp"

#include <type_traits>

#include "sim/learning/models/layers/relu.hpp"

namespace motley {
namespace {

template <class S>
std::unique_ptr<ConvolutionKernel<S>> chosen_kernel(const ConvolutionShape& shape,
                                                    const RunOptions& options) {
  if constexpr (std::is_same_v<S, float>) {
    if (!options.plain_kernels) return fast_convolution(shape, options.count);
  }
  return plain_convolution<S>(shape, options.count);
}

template <class S>
class ConvolutionRun final : public LayerRun<S> {
 public:
  ConvolutionRun(const ConvolutionShape& shape, bool rectified, const RunOptions& options)
      : shape_(shape),
        rectified_(rectified),
        kernel_(chosen_kernel<S>(shape, options)),
        output_(options.count * shape.output.size()),
        gradient_(shape.parameters()) {}

  void load(const S* x) override { kernel_->load(x); }

  const S* forward(const S* input) override {
    kernel_->forward(input, output_.data());
    if (rectified_) rectify(output_.data(), output_.size());
    return output_.data();
  }

  S* backward(const S* input, S* delta, S* spare, const GradientSum<S>& sum) override {
    if (rectified_) rectify_gradient(delta, output_.data(), output_.size());
    kernel_->backward_parameters(input, delta, gradient_.data());
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      sum.g[i] = sum.start(i) + gradient_.data()[i];
    }
    if (!shape_.input_gradient) return nullptr;
    kernel_->backward_input(delta, spare);
    return spare;
  }

 private:
  ConvolutionShape shape_;
  bool rectified_;
  std::unique_ptr<ConvolutionKernel<S>> kernel_;
  Buffer<S> output_;
  Buffer<S> gradient_;
};

/// How many zeros it takes before and after.
struct Zeros {
  std::size_t before, after;
};

Zeros same_size(std::size_t size, std::size_t kernel, std::size_t stride) {
  const std::size_t last = (size - 1) / stride * stride;  // where the last output begins
  const std::size_t all = last + kernel > size ? last + kernel - size : 0;
  return {all / 2, all - all / 2};
}

ConvolutionShape with_input_gradient(ConvolutionShape shape, bool wanted) {
  shape.input_gradient = wanted;
  return shape;
}

}  // namespace

Convolution::Convolution(const Planes& input, const ConvolutionOptions& options)
    : rectified_(options.rectified) {
  const ImageShape& image = input.shape;
  const std::size_t stride = options.stride;
  const Zeros rows = same_size(image.height, options.kernel, stride);
  const Zeros columns = same_size(image.width, options.kernel, stride);
  shape_ = {.input = input,
            .output = {{options.channels, (image.height - 1) / stride + 1,
                        (image.width - 1) / stride + 1}},
            .kernel = options.kernel,
            .stride = stride,
            .above = rows.before,
            .below = rows.after,
            .left = columns.before,
            .right = columns.after,
            .biased = options.biased,
            .input_gradient = true};
}

double Convolution::flops() const {
  return 2 * static_cast<double>(shape_.weights()) * static_cast<double>(shape_.output.pixels());
}

void Convolution::initialise(RandomStream& random, std::span<float> x) const {
  initialise_normal(random, shape_.input.shape.channels * shape_.kernel * shape_.kernel,
                    x.first(shape_.weights()));
}

std::unique_ptr<LayerRun<float>> Convolution::in_float(const RunOptions& options) const {
  return std::make_unique<ConvolutionRun<float>>(
      with_input_gradient(shape_, options.input_gradient), rectified_, options);
}

std::unique_ptr<LayerRun<double>> Convolution::in_double(const RunOptions& options) const {
  return std::make_unique<ConvolutionRun<double>>(
      with_input_gradient(shape_, options.input_gradient), rectified_, options);
}

}  // namespace motley
