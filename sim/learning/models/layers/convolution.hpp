#pragma once

#include "sim/learning/models/layers/convolution_kernel.hpp"
#include "sim/learning/models/layers/layer.hpp"

namespace motley {

struct ConvolutionOptions {
  std::size_t channels;  ///< of the output
  std::size_t kernel;    ///< its rows and columns
  std::size_t stride = 1;
  bool biased = true;
  bool rectified = true;
};

/// A convolution with as many zeros around the image as keep its size ("same"): an output has
/// ceil(size / stride) rows and columns. An odd number of zeros has one more below and on the
/// right. Parameters: weights by output channel, input channel, row and column, then biases.
class Convolution final : public NetworkLayer {
 public:
  Convolution(const Planes& input, const ConvolutionOptions& options);

  Planes output() const override { return shape_.output; }
  std::size_t parameters() const override { return shape_.parameters(); }
  double flops() const override;
  void initialise(RandomStream& random, std::span<float> x) const override;
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const override;
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const override;

 private:
  ConvolutionShape shape_;
  bool rectified_;
};

}  // namespace motley
