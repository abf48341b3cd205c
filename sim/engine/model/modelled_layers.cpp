#include "sim/engine/model/modelled_layers.hpp"

namespace motley {

std::vector<Layer> modelled_layers(const CostSpec& cost, const Problem& problem,
                                   double flops_per_sample) {
  std::vector<Layer> layers;
  if (cost.profile) {
    for (const LayerProfile::Layer& layer : cost.profile->layers) {
      layers.push_back({layer.bytes, layer.forward_flops, layer.backward_flops});
    }
    return layers;
  }
  layers = problem.layers();
  const double own_flops = problem.flops_per_sample();
  for (Layer& layer : layers) {
    if (own_flops > 0) {
      layer.forward_flops *= flops_per_sample / own_flops;
      layer.backward_flops *= flops_per_sample / own_flops;
    } else {
      layer.forward_flops = flops_per_sample / 3;  // of one layer: the division is immaterial
      layer.backward_flops = flops_per_sample - layer.forward_flops;
    }
  }
  return layers;
}

}  // namespace motley
