#include <optional>

#include "sim/base/place.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/image_model.hpp"
#include "sim/learning/models/layers/convolution.hpp"
#include "sim/learning/models/layers/dense.hpp"
#include "sim/learning/models/layers/max_pooling.hpp"
#include "sim/learning/models/weight_decay.hpp"

namespace motley {
namespace {

/// One entry of the list: exactly one of conv, pool and dense.
struct CnnLayer {
  std::optional<std::size_t> conv;
  std::optional<std::size_t> kernel;
  std::optional<std::size_t> stride;
  std::optional<std::size_t> pool;
  std::optional<std::size_t> dense;

  static Fields<CnnLayer> fields() {
    Fields<CnnLayer> f;
    f.add({.name = "conv",
           .doc = "a convolution with this many channels, then ReLU; zeros around the image keep "
                  "its size",
           .minimum = 1,
           .maximum = 1e5},
          &CnnLayer::conv);
    f.add({.name = "kernel",
           .doc = "of a convolution: its rows and columns",
           .minimum = 1,
           .maximum = 1e4},
          &CnnLayer::kernel);
    f.add({.name = "stride",
           .doc = "of a convolution: from one output pixel to the next; when absent 1",
           .minimum = 1,
           .maximum = 1e4},
          &CnnLayer::stride);
    f.add(
        {.name = "pool",
         .doc =
             "max pooling over squares of this many rows and columns, which must divide the image",
         .minimum = 2,
         .maximum = 1e4},
        &CnnLayer::pool);
    f.add({.name = "dense",
           .doc = "a fully connected layer with this many outputs, then ReLU",
           .minimum = 1,
           .maximum = 1e6},
          &CnnLayer::dense);
    return f;
  }

  void check(const Place& place) const {
    if (conv.has_value() + pool.has_value() + dense.has_value() != 1) {
      throw InputError(place, "must have exactly one of \"conv\", \"pool\" and \"dense\"");
    }
    if (conv && !kernel) throw InputError(place, "needs \"kernel\" beside \"conv\"");
    if (!conv && kernel) throw InputError(place / "kernel", "belongs to \"conv\" only");
    if (!conv && stride) throw InputError(place / "stride", "belongs to \"conv\" only");
  }
};

struct Cnn final : ImageModel {
  std::vector<CnnLayer> layers;

  static Fields<Cnn> fields() {
    Fields<Cnn> f;
    f.add(
        {.name = "layers",
         .doc = "input side first; the layer that makes one output per class is added at the end"},
        &Cnn::layers);
    f.add(weight_decay_field(), &Cnn::weight_decay);
    return f;
  }

  void check(const Place& place) {
    ImageModel::check(place);
    const Place list = place / "layers";
    if (layers.empty()) throw InputError(list, "must list at least one layer (or choose softmax)");
    bool flat = false;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].check(list / i);
      if (flat && !layers[i].dense) {
        throw InputError(list / i,
                         "follows a dense layer, after which there is no image: only "
                         "dense layers may");
      }
      flat = flat || layers[i].dense;
    }
  }

  NetworkLayers layers_for(const ImageShape& image, const Place& place) const override {
    NetworkLayers made;
    Planes now = planes_of(image);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const CnnLayer& layer = layers[i];
      const Place at = place / "layers" / i;
      if (layer.conv) {
        if (*layer.kernel > now.shape.height || *layer.kernel > now.shape.width) {
          throw InputError(at / "kernel",
                           "must not be larger than the image, which has " + image_size(now.shape) +
                               " pixels here",
                           *layer.kernel);
        }
        const ConvolutionOptions options{*layer.conv, *layer.kernel, layer.stride.value_or(1)};
        made.push_back(std::make_unique<Convolution>(now, options));
      } else if (layer.pool) {
        if (now.shape.height % *layer.pool != 0 || now.shape.width % *layer.pool != 0) {
          throw InputError(
              at / "pool",
              "must divide the image, which has " + image_size(now.shape) + " pixels here",
              *layer.pool);
        }
        made.push_back(std::make_unique<MaxPooling>(now, *layer.pool));
      } else {
        made.push_back(std::make_unique<Dense>(now, *layer.dense, true));
      }
      now = made.back()->output();
    }
    return made;
  }
};

}  // namespace

ModelKind cnn_model() {
  return describe_kind<ModelSpec, Cnn>("cnn", "convolutions, pooling and fully connected layers");
}

}  // namespace motley
