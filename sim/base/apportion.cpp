#include "sim/base/apportion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace motley {

std::vector<std::size_t> apportioned(std::size_t total, std::span<const double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::size_t> counts;
  std::vector<std::pair<double, std::size_t>> remainders;  // negative, so that the largest is first
  std::size_t left = total;
  for (const double share : shares) {
    const double exact = share / sum * static_cast<double>(total);
    const std::size_t count = std::min(left, static_cast<std::size_t>(exact));
    remainders.emplace_back(static_cast<double>(count) - exact, counts.size());
    counts.push_back(count);
    left -= count;
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; i < left; ++i) ++counts[remainders[i % remainders.size()].second];
  return counts;
}

}  // namespace motley
