#include "sim/learning/models/layers/layer.hpp"

#include <cmath>
#include <stdexcept>

#include <boost/random/normal_distribution.hpp>

namespace motley {

template <class S>
void LayerRun<S>::take(std::size_t) {
  throw std::logic_error("the number of images of this layer is fixed");
}

template <class S>
const S* LayerRun<S>::forward_picked(const S*, const Sample*) {
  throw std::logic_error("this layer takes images one after the other");
}

template class LayerRun<float>;
template class LayerRun<double>;

void NetworkLayer::describe(std::vector<Layer>& layers) const {
  if (flops() > 0) {
    layers.push_back({parameters(), flops(), (layers.empty() ? 1 : 2) * flops()});
  } else if (parameters() > 0) {
    layers.back().size += parameters();  // a normalisation travels with what it normalises
  }
}

void initialise_normal(RandomStream& random, std::size_t fan_in, std::span<float> weights) {
  boost::random::normal_distribution<double> normal;
  const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in));
  for (float& weight : weights) weight = static_cast<float>(deviation * normal(random));
}

}  // namespace motley
