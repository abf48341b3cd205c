#include "sim/vocabulary/draw.hpp"

#include <algorithm>
#include <numeric>

#include <boost/random/uniform_int_distribution.hpp>

#include "sim/base/random.hpp"

namespace motley {

std::size_t draw_below(RandomStream& random, std::size_t n) {
  return boost::random::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

std::vector<std::size_t> draw_some(RandomStream& random, std::vector<std::size_t> candidates,
                                   std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(candidates[i], candidates[i + draw_below(random, candidates.size() - i)]);
  }
  candidates.resize(count);
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

std::vector<std::size_t> draw_some(RandomStream& random, std::size_t n, std::size_t count) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return draw_some(random, std::move(all), count);
}

}  // namespace motley
