#pragma once

#include "sim/scenario/fields.hpp"
#include "sim/scenario/power.hpp"

namespace motley {

/// What a link carries in each direction: "10Gbps", or {"up": "20Mbps", "down": "100Mbps"}.
struct Bandwidth {
  double up_Bps = 0;
  double down_Bps = 0;

  static Bandwidth read(const Json& value, const Place& place);
  static JsonValue schema();
};

struct LinkSpec {
  Bandwidth bandwidth;
  double latency_s = 0;
  std::optional<PowerSpec> power = {};

  static Fields<LinkSpec> fields();
};

}  // namespace motley
