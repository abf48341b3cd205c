#include "sim/scenario/factor_steps.hpp"

#include <cmath>
#include <set>

namespace motley {

std::vector<FactorStep> steps_of(const std::vector<TimedFactor>& changes) {
  std::set<double> times;
  for (const TimedFactor& change : changes) {
    times.insert(change.from_s);
    if (std::isfinite(change.to_s)) times.insert(change.to_s);
  }
  std::vector<FactorStep> steps;
  for (const double time : times) {
    double factor = 1;
    for (const TimedFactor& change : changes) {
      if (change.holds_at(time)) factor *= change.factor;
    }
    steps.push_back({time, factor});
  }
  return steps;
}

}  // namespace motley
