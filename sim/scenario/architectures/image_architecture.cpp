#include "sim/scenario/architectures/image_architecture.hpp"

namespace motley {
namespace {

std::size_t side_after(std::size_t side, std::size_t kernel, std::size_t stride,
                       std::size_t padding) {
  return (side + 2 * padding - kernel) / stride + 1;
}

}  // namespace

void ImageArchitecture::convolve(const std::string& name, const Convolution& how) {
  const std::uint64_t weights =
      how.channels * (shape_.channels / how.groups) * how.kernel * how.kernel;
  shape_ = {how.channels, side_after(shape_.side, how.kernel, how.stride, how.padding)};
  layers_.push_back({name, weights + (how.is_normalised ? 2 : 1) * how.channels,
                     weights * shape_.side * shape_.side, !layers_.empty()});
}

void ImageArchitecture::pool(std::size_t kernel, std::size_t stride, std::size_t padding) {
  shape_.side = side_after(shape_.side, kernel, stride, padding);
}

void ImageArchitecture::dense(const std::string& name, std::size_t outputs) {
  const std::uint64_t weights = shape_.channels * shape_.side * shape_.side * outputs;
  layers_.push_back({name, weights + outputs, weights, !layers_.empty()});
  shape_ = {outputs, 1};
}

}  // namespace motley
