#include "sim/vocabulary/run_facts.hpp"

#include <algorithm>

namespace motley {

double RunFacts::fastest_speed() const {
  return *std::max_element(speeds.begin(), speeds.end());
}

}  // namespace motley
