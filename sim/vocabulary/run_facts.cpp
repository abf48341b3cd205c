#include "sim/vocabulary/run_facts.hpp"

#include <algorithm>
#include <numeric>

namespace motley {

double RunFacts::fastest_speed() const {
  return *std::max_element(speeds.begin(), speeds.end());
}

double RunFacts::slowest_speed() const {
  return *std::min_element(speeds.begin(), speeds.end());
}

double RunFacts::epoch_s() const {
  const double flops = static_cast<double>(samples_per_epoch) * flops_per_sample;
  return flops / std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

}  // namespace motley
