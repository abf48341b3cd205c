#pragma once

#include <limits>
#include <vector>

namespace motley {

/// From this moment on, until the next step, something is so many times what the scenario says.
struct FactorStep {
  double time_s = 0;
  double factor = 1;
};

/// A factor that holds for a while.
struct TimedFactor {
  double from_s = 0;
  double to_s = std::numeric_limits<double>::infinity();
  double factor = 1;

  bool holds_at(double time_s) const { return from_s <= time_s && time_s < to_s; }
};

/// In the order of time; before the first the factor is 1. Where several hold they multiply, in the
/// order given, so that the factor is exactly 1 again when all are over.
std::vector<FactorStep> steps_of(const std::vector<TimedFactor>& changes);

}  // namespace motley
