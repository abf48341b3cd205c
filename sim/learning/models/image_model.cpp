#include "sim/learning/models/image_model.hpp"

#include "sim/base/place.hpp"
#include "sim/learning/models/layers/dense.hpp"

namespace motley {

std::unique_ptr<Problem> ImageModel::make(const Dataset* data, std::uint64_t) const {
  if (!data->shape) {
    throw InputError(place_ / "kind",
                     "needs images, and this data has " + std::to_string(data->features()) +
                         " features without a shape: choose mlp or softmax, or data of images such "
                         "as fashion_mnist, cifar10, idx, or synthetic with a \"shape\"");
  }
  NetworkLayers layers = layers_for(*data->shape, place_);
  layers.push_back(std::make_unique<Dense>(layers.back()->output(), data->classes, false));
  return std::make_unique<NeuralNetwork>(*data, std::move(layers), weight_decay);
}

std::string image_size(const ImageShape& shape) {
  return std::to_string(shape.height) + " x " + std::to_string(shape.width);
}

}  // namespace motley
