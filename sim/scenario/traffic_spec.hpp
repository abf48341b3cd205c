#pragma once

#include <optional>
#include <string>

#include "sim/scenario/random_amount.hpp"

namespace motley {

/// Messages of others that share the links.
struct TrafficSpec {
  std::string from;
  std::string to;
  RandomSize size;
  RandomTime every;
  double at_s = 0;
  std::optional<double> for_s;

  static Fields<TrafficSpec> fields();
};

}  // namespace motley
