#include "algorithms/support/apportioned_to_all.hpp"

#include <algorithm>

#include "sim/base/apportion.hpp"

namespace motley {
namespace {

std::vector<std::size_t> at_least_one_each(std::size_t total, std::span<const double> shares) {
  std::vector<std::size_t> counts = apportioned(total, shares);
  for (std::size_t& count : counts) {
    if (count > 0) continue;
    --*std::max_element(counts.begin(), counts.end());
    ++count;
  }
  return counts;
}

}  // namespace

std::vector<std::size_t> apportioned_to_all(std::size_t total, std::span<const double> shares,
                                            std::span<const std::optional<std::size_t>> most) {
  if (most.empty()) return at_least_one_each(total, shares);
  std::vector<std::size_t> counts(shares.size(), 0);
  std::vector<std::size_t> open(shares.size());  // who is not at its most
  for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
  for (bool settled = false; !settled && !open.empty();) {
    std::vector<double> open_shares;
    for (const std::size_t i : open) open_shares.push_back(shares[i]);
    const std::vector<std::size_t> split = at_least_one_each(total, open_shares);
    std::vector<std::size_t> still_open;
    std::size_t given = 0;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const std::size_t i = open[k];
      counts[i] = split[k];
      if (most[i] && split[k] > *most[i]) {
        counts[i] = *most[i];
        given += counts[i];
      } else {
        still_open.push_back(i);
      }
    }
    settled = given == 0;
    total -= given;
    open = std::move(still_open);
  }
  return counts;
}

}  // namespace motley
