#pragma once

#include "sim/learning/models/layers/layer.hpp"

namespace motley {

/// y = gamma_c (x - mean) / sqrt(variance + 1e-5) + beta_c, where mean and variance are those of an
/// image's numbers in one of `groups` groups of neighbouring channels, which must divide them
/// [Wu and He, ECCV 2018]. Parameters: all gamma, then all beta. An image's output does not depend
/// on the others of its batch, and there are no running means: the parameters are the whole model.
class GroupNormalisation final : public NetworkLayer {
 public:
  GroupNormalisation(const Planes& planes, std::size_t groups, bool rectified)
      : planes_(planes), groups_(groups), rectified_(rectified) {}

  Planes output() const override { return planes_; }
  std::size_t parameters() const override { return 2 * planes_.shape.channels; }
  /// gamma is 1 and beta 0.
  void initialise(RandomStream&, std::span<float> x) const override;
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const override;
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const override;

  template <class S>
  class Run;

 private:
  Planes planes_;
  std::size_t groups_;
  bool rectified_;
};

/// At work. What a residual block adds before it rectifies is added on the way.
template <class S>
class GroupNormalisation::Run final : public LayerRun<S> {
 public:
  Run(const Planes& planes, std::size_t groups, bool rectified, std::size_t count);

  void load(const S* x) override { x_ = x; }
  const S* forward(const S* input) override { return forward_adding(input, nullptr); }
  S* backward(const S* input, S* delta, S*, const GradientSum<S>& sum) override {
    return backward_adding(input, delta, delta, sum);
  }

  /// Adds `addend`, unless it is null, to what is normalised, and then rectifies.
  const S* forward_adding(const S* input, const S* addend);
  /// Leaves the gradient with respect to the addend in `addend_delta`, which may be `delta` when
  /// nobody asks for it.
  S* backward_adding(const S* input, S* delta, S* addend_delta, const GradientSum<S>& sum);

 private:
  void find_moments(const S* image, S* mean, S* inverse_deviation);
  template <class F>
  void for_channels_of(std::size_t group, const F& f) const;

  Planes planes_;
  std::size_t groups_;
  bool rectified_;
  std::size_t count_;
  const S* x_ = nullptr;
  Buffer<S> output_;
  Buffer<S> means_, inverse_deviations_;  // of each image and group
  // Per channel, in the order of the blocks: sums over an image, and factors of its numbers.
  Buffer<S> sums_, products_, mean_of_, factor_, delta_factor_, constant_;
  Buffer<S> gamma_sums_, beta_sums_;
};

}  // namespace motley
