#pragma once

#include "sim/learning/models/layers/convolution.hpp"
#include "sim/learning/models/layers/group_normalisation.hpp"
#include "sim/learning/models/layers/layer.hpp"

namespace motley {

/// Two convolutions of 3 x 3, each normalised, around which the input goes and is added; rectified
/// after the first normalisation and after the addition [He et al., CVPR 2016]. With a stride of 2,
/// or more channels than the input, the shortcut takes every second pixel and channels of zeros,
/// and has no parameters: the paper's option A.
class ResidualBlock final : public NetworkLayer {
 public:
  ResidualBlock(const Planes& input, std::size_t channels, std::size_t stride, std::size_t groups);

  Planes output() const override { return second_norm_.output(); }
  std::size_t parameters() const override;
  double flops() const override { return first_.flops() + second_.flops(); }
  void initialise(RandomStream& random, std::span<float> x) const override;
  void describe(std::vector<Layer>& layers) const override;
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const override;
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const override;

 private:
  template <class S>
  std::unique_ptr<LayerRun<S>> make_run(const RunOptions& options) const;

  Planes input_;
  std::size_t stride_;
  std::size_t groups_;
  Convolution first_;
  GroupNormalisation first_norm_;
  Convolution second_;
  GroupNormalisation second_norm_;
};

}  // namespace motley
