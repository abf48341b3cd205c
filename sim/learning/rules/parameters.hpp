#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace motley {

class ThreadPool;

/// A vector of floats (a model or a gradient) with the price of a pointer: copies share the same
/// immutable block, and a write gets a block of its own first unless nobody else holds this one.
/// Blocks come from a pool and return to it, so that the steady state allocates nothing.
///
/// A slice() is a view of a part that shares the block in the same way: what several servers hold
/// of one model, or what one of them gets of a gradient.
///
/// Copy, assign and destroy only in the simulation's thread (counts are not atomic). Other threads
/// may read or write the floats through spans taken there, while the owner keeps the block alive.
class Parameters {
 public:
  /// c * v, to be added to or subtracted from another vector.
  struct Scaled {
    float factor;
    const Parameters& vector;
  };

  Parameters() = default;
  /// `size` floats of undefined value.
  explicit Parameters(std::size_t size);
  Parameters(const Parameters& other);
  Parameters(Parameters&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        begin_(std::exchange(other.begin_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  Parameters& operator=(Parameters other) noexcept {
    std::swap(block_, other.block_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Parameters() {
    if (block_ != nullptr) release();
  }

  static Parameters zeros(std::size_t size);
  /// The `size` floats from `begin` on, without copying them.
  Parameters slice(std::size_t begin, std::size_t size) const;

  std::size_t size() const { return size_; }
  bool empty() const { return block_ == nullptr; }
  std::span<const float> values() const;
  /// To write; detaches from other holders first, keeping the values.
  std::span<float> writable();
  /// To overwrite completely: like writable(), but the values are undefined when it had to detach.
  std::span<float> overwritable();
  /// Calls f(old values, new values) to compute every new value from the old one at the same index,
  /// in one pass: in place, or into a block of its own when others hold this one.
  template <class F>
  void transform(F&& f) {
    Parameters own = detached();
    const Parameters& target = own.empty() ? *this : own;
    f(values(), std::span<float>(target.data(), size()));
    if (!own.empty()) *this = std::move(own);
  }
  /// Whether both are the very same floats.
  bool shares_with(const Parameters& other) const {
    return block_ == other.block_ && begin_ == other.begin_ && size_ == other.size_;
  }

  Parameters& operator+=(const Scaled& term);
  Parameters& operator-=(const Scaled& term);
  Parameters& operator+=(const Parameters& other);
  Parameters& operator*=(float factor);

 private:
  struct Block;
  float* data() const;
  void release();  // the block, which there must be
  /// An empty vector when nobody else holds this one; else one of the same size and undefined
  /// values.
  Parameters detached() const;
  Block* block_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;

  friend struct ParameterPool;
};

inline Parameters::Scaled operator*(float factor, const Parameters& vector) {
  return {factor, vector};
}

/// Sum of weights[i] * vectors[i], added in this order whatever the threads; large ones use all of
/// the pool's.
Parameters weighted_sum(std::span<const Parameters* const> vectors, std::span<const float> weights,
                        ThreadPool& pool);

}  // namespace motley
