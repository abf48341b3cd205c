#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// What the architecture that is modelled costs, layer by layer from the input: written as the name of a
/// published one, or as a list of {"flops": "2Gf", "bytes": "10MB"}.
struct LayerProfile {
  struct Layer {
    double forward_flops = 0;  ///< of one sample
    double backward_flops = 0;
    std::uint64_t bytes = 0;  ///< of its weights, and of their gradient, on the wire
  };

  std::string name;  ///< empty: it was given as a list
  std::vector<Layer> layers;

  /// Forward and backward.
  double flops_per_sample() const;
  std::uint64_t bytes() const;
  /// "resnet50", "7 layers".
  std::string described() const;

  static LayerProfile read(const Json& value, const Place& place);
  static JsonValue schema();
};

}  // namespace motley
