#pragma once

#include "sim/learning/models/layers/layer.hpp"

namespace motley {

/// The largest of each channel's `size` x `size` pixels, which must divide the image. The gradient
/// goes to the first of equal ones, from the top left.
class MaxPooling final : public NetworkLayer {
 public:
  MaxPooling(const Planes& input, std::size_t size) : input_(input), size_(size) {}

  Planes output() const override {
    const ImageShape& image = input_.shape;
    return {{image.channels, image.height / size_, image.width / size_}, input_.block};
  }
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const override;
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const override;

 private:
  Planes input_;
  std::size_t size_;
};

}  // namespace motley
