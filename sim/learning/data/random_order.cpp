#include "sim/learning/data/random_order.hpp"

#include <numeric>
#include <utility>

#include <boost/random/uniform_int_distribution.hpp>

namespace motley {

std::vector<Sample> random_order(std::size_t count, RandomStream stream) {
  std::vector<Sample> order(count);
  std::iota(order.begin(), order.end(), Sample{0});
  for (std::size_t left = count; left > 1; --left) {
    boost::random::uniform_int_distribution<std::size_t> any(0, left - 1);
    std::swap(order[left - 1], order[any(stream)]);
  }
  return order;
}

}  // namespace motley
