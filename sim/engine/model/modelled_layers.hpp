#pragma once

#include <vector>

#include "sim/learning/models/problem.hpp"
#include "sim/scenario/scenario.hpp"

namespace motley {

/// The layers of the architecture whose times are simulated, input first: with the scenario's profile its
/// layers, each as large as its bytes; otherwise those of the model that is trained, which share
/// `flops_per_sample` in proportion to their own flops.
std::vector<Layer> modelled_layers(const CostSpec& cost, const Problem& problem,
                                   double flops_per_sample);

}  // namespace motley
