#pragma once

#include <memory>
#include <vector>

#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/neural_network.hpp"

namespace motley {

/// Dense layers with ReLU, of these sizes, and one without that makes the logits. `data` must
/// outlive it.
std::unique_ptr<NeuralNetwork> dense_network(const Dataset& data,
                                             const std::vector<std::size_t>& hidden,
                                             double weight_decay);

}  // namespace motley
