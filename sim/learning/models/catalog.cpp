#include "sim/learning/models/catalog.hpp"

#include <utility>

namespace motley {

namespace {

std::vector<ModelKind>& all_model_kinds() {
  static std::vector<ModelKind> catalog = {
      softmax_model(), mlp_model(), cnn_model(), resnet_model(), quadratic_model(), no_model(),
  };
  return catalog;
}

}  // namespace

const std::vector<ModelKind>& model_catalog() {
  return all_model_kinds();
}

void add_model_kind(ModelKind kind) {
  all_model_kinds().push_back(std::move(kind));
}

}  // namespace motley
