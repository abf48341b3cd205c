#pragma once

#include "sim/scenario/fields.hpp"

namespace motley {

/// What a host draws, or a link, both directions together.
struct PowerSpec {
  double busy_W = 0;  ///< of a link with both directions full
  double idle_W = 0;
  double off_W = 0;  ///< while it takes no part

  static Fields<PowerSpec> fields();
};

}  // namespace motley
