#pragma once

#include "sim/learning/models/layers/layer.hpp"

namespace motley {

/// The mean of each channel over the image. Its input comes in blocks of channels.
class GlobalAveragePooling final : public NetworkLayer {
 public:
  explicit GlobalAveragePooling(const Planes& input) : input_(input) {}

  Planes output() const override { return {{input_.shape.channels, 1, 1}}; }
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const override;
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const override;

 private:
  Planes input_;
};

}  // namespace motley
