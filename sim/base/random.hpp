#pragma once

#include <Random123/philox.h>
#include <cstdint>
#include <string_view>

namespace motley {

/// What a random stream of the simulator is for; those of algorithms have names. Streams of different
/// purposes never share a draw.
enum class Purpose : std::uint32_t {
  initial_model = 1,
  data_order = 2,
  partition = 3,
  synthetic_data = 4,
  quadratic_noise = 5,
  split = 6,
  worker_speed = 7,
  step_noise = 8,
  dealing = 9,
  named = 10,  ///< by an algorithm; the name decides the substream (see also named_streams.hpp)
  augmentation = 11,
};

/// A counter-based stream: the n-th number of (seed, purpose, rank, substream) is a pure function
/// of these, so nobody's draws depend on who else draws, in which order, or how many workers there
/// are. Satisfies UniformRandomBitGenerator; use Boost.Random's distributions with it (the standard
/// library's differ between implementations).
class RandomStream {
 public:
  using result_type = std::uint32_t;

  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t rank = 0,
               std::uint32_t substream = 0)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32) ^
                                                    (static_cast<std::uint32_t>(purpose) << 24)}},
        counter_{{0, 0, rank, substream}} {}

  /// For a purpose that has a name: the n-th number of (seed, name, rank).
  RandomStream(std::uint64_t seed, std::string_view name, std::uint32_t rank)
      : RandomStream(seed, Purpose::named, rank, hash(name)) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffffffffU; }

  result_type operator()() {
    if (used_ == 4) {
      block_ = r123::Philox4x32()(counter_, key_);
      if (++counter_[0] == 0) ++counter_[1];
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  /// FNV-1a.
  static std::uint32_t hash(std::string_view name) {
    std::uint32_t sum = 2166136261U;
    for (const char c : name) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
    return sum;
  }

  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  unsigned used_ = 4;
};

}  // namespace motley
