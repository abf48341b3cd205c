#include "algorithms/support/random_groups.hpp"

#include <numeric>

#include "sim/base/random.hpp"
#include "sim/vocabulary/draw.hpp"

namespace motley {

std::vector<std::vector<std::vector<std::size_t>>> random_groups(std::uint64_t seed,
                                                                 std::size_t workers,
                                                                 std::size_t size,
                                                                 std::size_t count) {
  RandomStream random(seed, "groups", 0);
  const std::size_t groups = (workers + size - 1) / size;
  std::vector<std::vector<std::vector<std::size_t>>> divisions(count);
  for (auto& division : divisions) {
    std::vector<std::size_t> order(workers);
    std::iota(order.begin(), order.end(), std::size_t{0});
    division.resize(groups);
    for (std::size_t i = 0; i < workers; ++i) {
      std::swap(order[i], order[i + draw_below(random, workers - i)]);
      division[i % groups].push_back(order[i]);
    }
  }
  return divisions;
}

}  // namespace motley
