#include "sim/core/learning/parameters.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <vector>

#include "sim/core/thread_pool.hpp"

namespace motley {

struct Parameters::Block {
  std::size_t size;
  std::size_t holders;

  float* floats() { return reinterpret_cast<float*>(reinterpret_cast<char*>(this) + header); }

  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t header = 64;  // keeps the floats on a cache line of their own
};

/// Free blocks of the one size in use. Fresh pages from malloc would cost as much as the gradient
/// that is written to them. A run has one model size; blocks of another size replace the list's.
struct ParameterPool {
  std::size_t size = 0;
  std::vector<Parameters::Block*> free;

  ~ParameterPool() { clear(); }

  void clear() {
    for (Parameters::Block* block : free) {
      ::operator delete(block, std::align_val_t(Parameters::Block::alignment));
    }
    free.clear();
  }

  Parameters::Block* take(std::size_t wanted) {
    if (wanted == size && !free.empty()) {
      Parameters::Block* block = free.back();
      free.pop_back();
      block->holders = 1;
      return block;
    }
    const std::size_t bytes = Parameters::Block::header + wanted * sizeof(float);
    void* memory = ::operator new(bytes, std::align_val_t(Parameters::Block::alignment));
    return new (memory) Parameters::Block{wanted, 1};
  }

  void give_back(Parameters::Block* block) {
    if (block->size != size) {
      clear();
      size = block->size;
    }
    free.push_back(block);
  }

  /// One per process: a simulation owns its process.
  static ParameterPool& instance() {
    static ParameterPool pool;
    return pool;
  }
};

Parameters::Parameters(std::size_t size) : block_(ParameterPool::instance().take(size)) {}

Parameters::Parameters(const Parameters& other) : block_(other.block_) {
  if (block_ != nullptr) ++block_->holders;
}

Parameters::~Parameters() {
  release();
}

void Parameters::release() {
  if (block_ != nullptr && --block_->holders == 0) ParameterPool::instance().give_back(block_);
  block_ = nullptr;
}

Parameters Parameters::zeros(std::size_t size) {
  Parameters zero(size);
  std::fill_n(zero.block_->floats(), size, 0.0F);
  return zero;
}

std::size_t Parameters::size() const {
  return block_ == nullptr ? 0 : block_->size;
}

std::span<const float> Parameters::values() const {
  if (block_ == nullptr) return {};
  return {block_->floats(), block_->size};
}

std::span<float> Parameters::overwritable() {
  assert(block_ != nullptr);
  if (block_->holders > 1) {
    const std::size_t size = block_->size;
    release();
    block_ = ParameterPool::instance().take(size);
  }
  return {block_->floats(), block_->size};
}

std::span<float> Parameters::writable() {
  assert(block_ != nullptr);
  if (block_->holders > 1) {
    Block* own = ParameterPool::instance().take(block_->size);
    std::copy_n(block_->floats(), block_->size, own->floats());
    release();
    block_ = own;
  }
  return {block_->floats(), block_->size};
}

float* Parameters::data() const {
  return block_->floats();
}

Parameters Parameters::detached() const {
  assert(block_ != nullptr);
  return block_->holders > 1 ? Parameters(block_->size) : Parameters();
}

Parameters& Parameters::operator+=(const Scaled& term) {
  assert(term.vector.size() == size());
  const std::span<const float> other = term.vector.values();
  transform([factor = term.factor, other](std::span<const float> from, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + factor * other[i];
  });
  return *this;
}

Parameters& Parameters::operator-=(const Scaled& term) {
  return *this += Scaled{-term.factor, term.vector};
}

Parameters& Parameters::operator+=(const Parameters& other) {
  return *this += Scaled{1.0F, other};
}

Parameters& Parameters::operator*=(float factor) {
  for (float& value : writable()) value *= factor;
  return *this;
}

namespace {

void add_up(std::span<const Parameters* const> vectors, std::span<const float> weights,
            std::span<float> out, std::size_t begin, std::size_t end) {
  constexpr std::size_t block =
      4096;  // floats that stay in the first-level cache while all are added
  for (std::size_t from = begin; from < end; from += block) {
    const std::size_t to = std::min(from + block, end);
    const float* first = vectors.front()->values().data();
    for (std::size_t j = from; j < to; ++j) out[j] = weights.front() * first[j];
    for (std::size_t i = 1; i < vectors.size(); ++i) {
      const float* values = vectors[i]->values().data();
      const float weight = weights[i];
      for (std::size_t j = from; j < to; ++j) out[j] = out[j] + weight * values[j];
    }
  }
}

}  // namespace

Parameters weighted_sum(std::span<const Parameters* const> vectors, std::span<const float> weights,
                        ThreadPool& pool) {
  assert(!vectors.empty() && vectors.size() == weights.size());
  constexpr std::size_t worth_a_thread = 1 << 15;  // floats read
  Parameters sum(vectors.front()->size());
  const std::span<float> out = sum.overwritable();
  pool.for_ranges(
      out.size(), std::max<std::size_t>(1, worth_a_thread / vectors.size()),
      [&](std::size_t begin, std::size_t end) { add_up(vectors, weights, out, begin, end); });
  return sum;
}

}  // namespace motley
