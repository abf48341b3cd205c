#include "sim/engine/collectives/tree.hpp"

#include <bit>

namespace motley {

void Tree::pass(std::size_t position, std::uint64_t bytes) {
  reduce(position, bytes);
  broadcast(position, bytes);
}

void Tree::reduce(std::size_t position, std::uint64_t bytes) {
  for (std::size_t distance = 1; distance < messages_.size(); distance *= 2) {
    if ((position & distance) != 0) {
      messages_.take(position, {.to = position - distance, .bytes = bytes});
      return;
    }
    if (position + distance < messages_.size()) {
      messages_.take(position, {.from = position + distance});
    }
  }
}

void Tree::broadcast(std::size_t position, std::uint64_t bytes) {
  // A member's children are nearer than its parent.
  std::size_t to_parent = std::bit_ceil(messages_.size());
  if (position > 0) {
    to_parent = std::size_t{1} << static_cast<unsigned>(std::countr_zero(position));
    messages_.take(position, {.from = position - to_parent});
  }
  for (std::size_t distance = to_parent / 2; distance > 0; distance /= 2) {
    if (position + distance < messages_.size()) {
      messages_.take(position, {.to = position + distance, .bytes = bytes});
    }
  }
}

}  // namespace motley
