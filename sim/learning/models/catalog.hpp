#pragma once

#include <vector>

#include "sim/learning/models/model_spec.hpp"
#include "sim/scenario/kinds.hpp"

namespace motley {

using ModelKind = Kind<ModelSpec>;

/// Every kind of model there is, in the order in which it is listed.
const std::vector<ModelKind>& model_catalog();
/// One that a plug-in brings.
void add_model_kind(ModelKind kind);

// One per file in this folder.
ModelKind softmax_model();
ModelKind mlp_model();
ModelKind cnn_model();
ModelKind resnet_model();
ModelKind quadratic_model();
ModelKind no_model();

}  // namespace motley
