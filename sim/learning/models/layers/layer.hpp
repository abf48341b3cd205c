#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/learning/data/sample.hpp"
#include "sim/learning/models/layers/planes.hpp"
#include "sim/learning/models/problem.hpp"

namespace motley {

/// Where a layer's gradient goes: g = keep * kept + the gradient, where `kept` may be g itself, and
/// is not read when keep is 0. All of them begin at the layer's first parameter.
template <class S>
struct GradientSum {
  S keep;
  const S* kept;
  S* g;

  S start(std::size_t i) const { return keep == 0 ? S{0} : keep * kept[i]; }
  GradientSum from(std::size_t begin) const { return {keep, kept + begin, g + begin}; }
};

/// A layer at work on blocks of a fixed number of images, with the memory that takes.
template <class S>
class LayerRun {
 public:
  virtual ~LayerRun() = default;

  /// The parameters at which everything is computed from now on; they stay where they are
  /// meanwhile.
  virtual void load(const S*) {}
  /// The output of these images, which stays until the next call.
  virtual const S* forward(const S* input) = 0;

  // Only of layers that are flexible:

  /// A block has so many images from now on, no more than were announced.
  virtual void take(std::size_t count);
  /// forward() on rows of `all`, those numbered by `index`, without copying them. backward() then
  /// takes no notice of its input. Both must stay until it is done.
  virtual const S* forward_picked(const S* all, const Sample* index);

  /// After forward() on the same input. `delta` is the gradient with respect to the output and is
  /// used up. Returns the gradient with respect to the input, which is in `delta` or in `spare`;
  /// nullptr when nobody asks for it.
  virtual S* backward(const S* input, S* delta, S* spare, const GradientSum<S>& sum) = 0;
};

struct RunOptions {
  std::size_t count;           ///< images in a block
  bool input_gradient = true;  ///< whether somebody below has parameters
  bool plain_kernels = false;  ///< whatever libraries there are
};

/// A layer of a neural network: what it makes of an image, without any values. In double for tests.
class NetworkLayer {
 public:
  virtual ~NetworkLayer() = default;

  virtual Planes output() const = 0;
  virtual std::size_t parameters() const { return 0; }
  /// Multiplications and additions of one image's forward pass, of products only.
  virtual double flops() const { return 0; }
  /// Whether it computes on any number of images, and on images wherever they lie; otherwise the
  /// number is fixed when its run is made.
  virtual bool is_flexible() const { return false; }
  /// Fills in the parameters, which are zeros.
  virtual void initialise(RandomStream&, std::span<float>) const {}
  /// Adds what it is in the terms of the model: what travels together is one. The gradients of
  /// parameters and input take the forward flops once more each; nothing in `layers` means that
  /// nobody asks for the latter.
  virtual void describe(std::vector<Layer>& layers) const;

  template <class S>
  std::unique_ptr<LayerRun<S>> run(const RunOptions& options) const {
    if constexpr (std::is_same_v<S, float>) {
      return in_float(options);
    } else {
      return in_double(options);
    }
  }
  virtual std::unique_ptr<LayerRun<float>> in_float(const RunOptions& options) const = 0;
  virtual std::unique_ptr<LayerRun<double>> in_double(const RunOptions& options) const = 0;
};

/// He's initialisation: normal numbers of the variance 2 / fan_in.
void initialise_normal(RandomStream& random, std::size_t fan_in, std::span<float> weights);

}  // namespace motley
