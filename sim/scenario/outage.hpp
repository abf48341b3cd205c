#pragma once

#include <limits>

namespace motley {

/// A time in which a machine is down.
struct Outage {
  double from_s = 0;
  double until_s = std::numeric_limits<double>::infinity();  ///< of one that never returns

  bool is_for_good() const { return until_s == std::numeric_limits<double>::infinity(); }
};

}  // namespace motley
