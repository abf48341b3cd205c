#include "algorithms/support/apportioned_to_all.hpp"

#include <algorithm>

#include "sim/base/apportion.hpp"

namespace motley {

std::vector<std::size_t> apportioned_to_all(std::size_t total, std::span<const double> shares) {
  std::vector<std::size_t> counts = apportioned(total, shares);
  for (std::size_t& count : counts) {
    if (count > 0) continue;
    --*std::max_element(counts.begin(), counts.end());
    ++count;
  }
  return counts;
}

}  // namespace motley
