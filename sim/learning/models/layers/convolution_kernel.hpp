#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "sim/learning/models/layers/planes.hpp"

/// The one place where another library's convolutions would come in.
namespace motley {

/// A convolution with a square kernel; pixels beyond the image are zeros.
struct ConvolutionShape {
  Planes input;   ///< as data has it (a block of 1), or as another layer puts it out
  Planes output;  ///< of blocks of channels
  std::size_t kernel;
  std::size_t stride;
  std::size_t above, below, left, right;  ///< how many of these zeros
  bool biased;
  bool input_gradient;

  std::size_t weights() const {
    return output.shape.channels * input.shape.channels * kernel * kernel;
  }
  std::size_t parameters() const { return weights() + (biased ? output.shape.channels : 0); }
};

/// The products of a convolutional layer for a fixed number of images. Weights lie by output
/// channel, input channel, row and column; the biases follow.
template <class S>
class ConvolutionKernel {
 public:
  virtual ~ConvolutionKernel() = default;

  /// Takes over the parameters, in whatever order suits it.
  virtual void load(const S* parameters) = 0;
  virtual void forward(const S* input, S* output) = 0;
  /// The gradients of the parameters into `gradient`, which is overwritten. `delta` is the gradient
  /// with respect to the output.
  virtual void backward_parameters(const S* input, const S* delta, S* gradient) = 0;
  /// Only where the shape has an input gradient.
  virtual void backward_input(const S* delta, S* input_delta) = 0;
};

/// Loops of our own, for any scalar: the reference, and what computes where there is no library.
template <class S>
std::unique_ptr<ConvolutionKernel<S>> plain_convolution(const ConvolutionShape& shape,
                                                        std::size_t count);

/// The fastest there is. The same bits in any thread, and whatever else runs.
std::unique_ptr<ConvolutionKernel<float>> fast_convolution(const ConvolutionShape& shape,
                                                           std::size_t count);

/// To be called by every thread before it uses a fast convolution, which is then computed in this
/// thread alone.
void convolve_in_this_thread();

/// Which code that is, for provenance: "oneDNN 2.6.3, AVX2" or "plain".
std::string convolution_code();
/// Whether there is no library, and convolutions are several times slower than they could be.
bool convolutions_are_slow();

}  // namespace motley
