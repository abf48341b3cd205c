#include "sim/learning/models/dense_network.hpp"

#include "sim/learning/models/layers/dense.hpp"

namespace motley {

std::unique_ptr<NeuralNetwork> dense_network(const Dataset& data,
                                             const std::vector<std::size_t>& hidden,
                                             double weight_decay) {
  NetworkLayers layers;
  Planes now = planes_of({data.features(), 1, 1});
  const auto add = [&](std::size_t outputs, bool rectified) {
    layers.push_back(std::make_unique<Dense>(now, outputs, rectified));
    now = layers.back()->output();
  };
  for (const std::size_t width : hidden) add(width, true);
  add(data.classes, false);
  return std::make_unique<NeuralNetwork>(data, std::move(layers), weight_decay);
}

}  // namespace motley
