#include "sim/learning/data/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/random.hpp"

namespace motley {
namespace {

/// The finaliser of SplitMix64: every bit of the input changes about half of those of the output.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The number-th of the well-mixed numbers that belong to a key.
std::uint64_t keyed(std::uint64_t key, std::uint64_t number) {
  return mixed(key + (number + 1) * 0x9e3779b97f4a7c15U);
}

/// A pseudo-random order of [0, n), computed element by element. A Feistel network permutes the
/// pairs (high, low) of a grid as nearly square as possible that just holds n cells; following its
/// cycles until a cell is below n makes of it a permutation of [0, n). The grid has fewer than
/// sqrt(n) + 1 cells too many (a power of two would have up to n): a second step is rare, and so is
/// a mispredicted branch, which would cost more than the step.
class KeyedPermutation {
 public:
  KeyedPermutation(std::uint64_t key, std::uint64_t pass, std::size_t n)
      : n_(n),
        lows_(static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))))),
        highs_(static_cast<std::uint32_t>((n - 1) / lows_ + 1)),
        rounds_(n < 1024 ? most_rounds : 4) {
    for (std::size_t r = 0; r < rounds_; ++r) round_keys_[r] = keyed(key, pass * most_rounds + r);
  }

  /// The element in a place below n.
  std::uint64_t operator()(std::uint64_t place) const {
    do {
      // 32-bit division is faster; the grid of a set that Sample can index has at most 2^32 cells.
      std::uint32_t low = static_cast<std::uint32_t>(place) % lows_;
      std::uint32_t high = static_cast<std::uint32_t>(place) / lows_;
      for (std::size_t r = 0; r < rounds_; r += 2) {
        low = shifted(low, lows_, high, round_keys_[r]);
        high = shifted(high, highs_, low, round_keys_[r + 1]);
      }
      place = std::uint64_t{high} * lows_ + low;
    } while (place >= n_);
    return place;
  }

 private:
  // Four rounds mix well, except where a half has only a few values.
  static constexpr std::size_t most_rounds = 8;

  /// `half` plus a pseudo-random number that depends on the other half, modulo `modulus`.
  static std::uint32_t shifted(std::uint32_t half, std::uint32_t modulus, std::uint32_t other,
                               std::uint64_t round_key) {
    std::uint64_t x = (other + round_key) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 32)) * 0x94d049bb133111ebU;
    const auto sum = static_cast<std::uint32_t>(half + ((x >> 32) * modulus >> 32));
    return std::min(sum, sum - modulus);  // the latter is huge where there is nothing to take off
  }

  std::uint64_t n_;
  std::uint32_t lows_;
  std::uint32_t highs_;
  std::size_t rounds_;
  std::array<std::uint64_t, most_rounds> round_keys_;
};

/// Uniform in [0, n) from 64 random bits: the upper half of their product with n.
std::uint64_t below(std::uint64_t n, std::uint64_t bits) {
  return ((bits >> 32) * n + ((bits & 0xffffffffU) * n >> 32)) >> 32;
}

std::uint64_t order_key(std::uint64_t seed, std::size_t rank) {
  RandomStream stream(seed, Purpose::data_order, static_cast<std::uint32_t>(rank));
  const std::uint64_t upper = stream();
  return upper << 32 | stream();
}

}  // namespace

Sampler::Sampler(const Partition& partition, SampleOrder order, std::uint64_t seed,
                 std::size_t rank)
    : partition_(&partition), rank_(rank), order_(order), key_(order_key(seed, rank)) {}

void Sampler::draw(std::span<Sample> out) {
  const std::size_t n = partition_->size(rank_);
  if (order_ == SampleOrder::independent) {
    for (Sample& sample : out) sample = partition_->at(rank_, below(n, keyed(key_, drawn_++)));
    return;
  }
  while (!out.empty()) {
    const std::uint64_t first = drawn_ % n;
    const std::size_t count = std::min<std::size_t>(out.size(), n - first);
    const KeyedPermutation permutation(key_, drawn_ / n, n);
    for (std::size_t i = 0; i < count; ++i) out[i] = partition_->at(rank_, permutation(first + i));
    drawn_ += count;
    out = out.subspan(count);
  }
}

}  // namespace motley
