#include "sim/base/place.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/image_model.hpp"
#include "sim/learning/models/layers/convolution.hpp"
#include "sim/learning/models/layers/global_average_pooling.hpp"
#include "sim/learning/models/layers/group_normalisation.hpp"
#include "sim/learning/models/layers/residual_block.hpp"
#include "sim/learning/models/weight_decay.hpp"

namespace motley {
namespace {

/// The residual neural networks for CIFAR [He et al., CVPR 2016, section 4.2]: a convolution, three stages
/// of n residual blocks with `width`, 2 `width` and 4 `width` channels, of which the second and third
/// halve the image, the mean over the image and a dense layer: 6n + 2 layers. With group instead of
/// batch normalisation: the running means of the latter would be part of the model and yet not of
/// what is exchanged.
struct ResNet final : ImageModel {
  std::size_t depth = 0;
  std::size_t width = 0;
  std::size_t groups = 0;

  static Fields<ResNet> fields() {
    Fields<ResNet> f;
    f.add({.name = "depth",
           .doc = "layers with weights: 6n + 2, such as 20, 32, 44, 56, 110",
           .minimum = 8,
           .maximum = 2000},
          &ResNet::depth);
    f.add(
        {.name = "width",
         .doc = "channels of the first of three stages; the others have two and four times as many",
         .fallback = 16,
         .minimum = 1,
         .maximum = 1e4},
        &ResNet::width);
    f.add({.name = "groups",
           .doc = "of channels that are normalised together; they must divide width",
           .fallback = 8,
           .minimum = 1,
           .maximum = 1e4},
          &ResNet::groups);
    f.add(weight_decay_field(), &ResNet::weight_decay);
    return f;
  }

  void check(const Place& place) {
    ImageModel::check(place);
    if (depth % 6 != 2) {
      const std::size_t lower = (depth - 2) / 6 * 6 + 2;
      throw InputError(
          place / "depth",
          "must be 6n + 2: " + std::to_string(lower) + " or " + std::to_string(lower + 6), depth);
    }
    if (width % groups != 0) {
      throw InputError(place / "groups", "must divide width, which is " + std::to_string(width),
                       groups);
    }
  }

  NetworkLayers layers_for(const ImageShape& image, const Place& place) const override {
    if (image.height < 4 || image.width < 4) {
      throw InputError(place / "kind", "needs images of at least 4 x 4 pixels, and these have " +
                                           image_size(image));
    }
    NetworkLayers made;
    made.push_back(std::make_unique<Convolution>(planes_of(image),
                                                 ConvolutionOptions{width, 3, 1, false, false}));
    made.push_back(std::make_unique<GroupNormalisation>(made.back()->output(), groups, true));
    for (std::size_t stage = 0; stage < 3; ++stage) {
      for (std::size_t block = 0; block < (depth - 2) / 6; ++block) {
        const std::size_t stride = stage > 0 && block == 0 ? 2 : 1;
        made.push_back(
            std::make_unique<ResidualBlock>(made.back()->output(), width << stage, stride, groups));
      }
    }
    made.push_back(std::make_unique<GlobalAveragePooling>(made.back()->output()));
    return made;
  }
};

}  // namespace

ModelKind resnet_model() {
  return describe_kind<ModelSpec, ResNet>(
      "resnet", "a residual neural network as for CIFAR, group normalisation");
}

}  // namespace motley
