#include "sim/vocabulary/draw.hpp"

#include <algorithm>
#include <unordered_map>

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
  // As above, of the list 0 ... n-1, of which only what is no longer in its place is kept.
  std::unordered_map<std::size_t, std::size_t> moved;
  const auto at = [&](std::size_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<std::size_t> drawn;
  drawn.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t other = i + draw_below(random, n - i);
    drawn.push_back(at(other));
    moved[other] = at(i);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace motley
