#include "sim/learning/models/catalog.hpp"

namespace motley {

const std::vector<ModelKind>& model_catalog() {
  static const std::vector<ModelKind> catalog = {
      softmax_model(), mlp_model(), cnn_model(), resnet_model(), quadratic_model(), no_model(),
  };
  return catalog;
}

}  // namespace motley
