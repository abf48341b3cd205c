#include "sim/engine/collectives/halving_doubling.hpp"

#include <bit>

namespace motley {

HalvingDoubling::HalvingDoubling(const Setup& setup)
    : messages_(setup.network, setup.ranks),
      taking_part_(std::bit_floor(setup.ranks.size())),
      extra_(setup.ranks.size() - taking_part_) {}

void HalvingDoubling::pass(std::size_t position, std::uint64_t bytes) {
  const bool is_paired = position < 2 * extra_;
  if (is_paired && position % 2 == 1) {
    messages_.take(position, {.to = position - 1, .bytes = bytes});
    messages_.take(position, {.from = position - 1});
    return;
  }
  if (is_paired) messages_.take(position, {.from = position + 1});
  halve_and_double(position, bytes);
  if (is_paired) messages_.take(position, {.to = position + 1, .bytes = bytes});
}

void HalvingDoubling::halve_and_double(std::size_t position, std::uint64_t bytes) {
  const std::size_t me = position < 2 * extra_ ? position / 2 : position - extra_;
  const auto exchange = [&](std::size_t distance, std::uint64_t sent) {
    const std::size_t partner = position_of(me ^ distance);
    messages_.take(position, {.to = partner, .bytes = sent, .from = partner});
  };
  std::vector<std::uint64_t> kept;  // of the vector, by step
  for (std::size_t distance = 1; distance < taking_part_; distance *= 2) {
    const std::uint64_t lower_half = bytes / 2;  // whole bytes, both together exactly all
    const std::uint64_t upper_half = bytes - lower_half;
    const bool keeps_lower = (me & distance) == 0;
    exchange(distance, keeps_lower ? upper_half : lower_half);
    bytes = keeps_lower ? lower_half : upper_half;
    kept.push_back(bytes);
  }
  for (std::size_t distance = taking_part_ / 2; distance > 0; distance /= 2) {
    exchange(distance, kept.back());
    kept.pop_back();
  }
}

}  // namespace motley
