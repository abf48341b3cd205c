#pragma once

#include "sim/learning/models/layers/dense_kernel.hpp"
#include "sim/learning/models/layers/layer.hpp"

namespace motley {

/// A fully connected layer on all numbers of an image, channel by channel. With ReLU what it puts out
/// lies in blocks, so that each image's begins at a multiple of a vector; logits lie side by side.
class Dense final : public NetworkLayer {
 public:
  Dense(const Planes& input, std::size_t outputs, bool rectified)
      : input_(input), shape_{input.shape.size(), outputs}, rectified_(rectified) {}

  Planes output() const override {
    return {{shape_.outputs, 1, 1}, rectified_ ? channel_block : 1};
  }
  std::size_t parameters() const override { return shape_.parameters(); }
  double flops() const override { return shape_.flops(); }
  bool is_flexible() const override { return true; }
  void initialise(RandomStream& random, std::span<float> x) const override {
    initialise_normal(random, shape_.inputs, x.first(shape_.weights()));
  }
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const override;
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const override;

 private:
  Planes input_;
  DenseShape shape_;
  bool rectified_;
};

}  // namespace motley
