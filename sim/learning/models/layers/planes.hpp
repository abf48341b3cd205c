#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "sim/learning/data/dataset.hpp"

namespace motley {

/// Between layers, so many channels of a pixel lie side by side: a vector of the machine, and the
/// layout in which oneDNN's convolutions are fastest.
#if defined(__AVX512F__)
inline constexpr std::size_t channel_block = 16;
#else
inline constexpr std::size_t channel_block = 8;
#endif

/// How an image lies in memory: its channels in groups of `block`, group after group, each row by
/// row from the top, and for each pixel the channels of the group. The last group is filled up with
/// channels of zeros. With a block of 1 this is channel after channel, as data sets have it.
struct Planes {
  ImageShape shape;
  std::size_t block = channel_block;

  std::size_t groups() const { return (shape.channels + block - 1) / block; }
  std::size_t pixels() const { return shape.height * shape.width; }
  /// Numbers in memory, those filled up included.
  std::size_t size() const { return groups() * block * pixels(); }
  std::size_t at(std::size_t channel, std::size_t y, std::size_t x) const {
    return (channel / block * pixels() + y * shape.width + x) * block + channel % block;
  }
};

/// The channels of one group at one pixel.
template <class S>
struct LanesOf {
  using Type [[gnu::vector_size(channel_block * sizeof(S))]] = S;
};
template <class S>
using Lanes = typename LanesOf<S>::Type;

template <class S>
[[gnu::always_inline]] inline Lanes<S> load_lanes(const S* from) {
  Lanes<S> lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class S>
[[gnu::always_inline]] inline void store_lanes(S* to, const Lanes<S>& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// Numbers that begin as zeros, at the start of a cache line.
template <class S>
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {
    const std::size_t bytes = (size * sizeof(S) + line - 1) / line * line;
    values_.reset(static_cast<S*>(std::aligned_alloc(line, bytes == 0 ? line : bytes)));
    if (!values_) throw std::bad_alloc();
    std::memset(values_.get(), 0, bytes);
  }

  S* data() { return values_.get(); }
  const S* data() const { return values_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t line = 64;
  struct Free {
    void operator()(S* values) const { std::free(values); }
  };
  std::unique_ptr<S[], Free> values_;
  std::size_t size_;
};

}  // namespace motley
