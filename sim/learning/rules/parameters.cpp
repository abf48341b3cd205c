#include "sim/learning/rules/parameters.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <vector>

#include "sim/base/thread_pool.hpp"

namespace motley {

struct Parameters::Block {
  std::size_t size;
  std::size_t holders;

  float* floats() { return reinterpret_cast<float*>(reinterpret_cast<char*>(this) + header); }

  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t header = 64;  // keeps the floats on a cache line of their own
};

/// Free blocks of the sizes in use. Fresh pages from malloc would cost as much as the gradient that
/// is written to them. A run has one model size, and one for each part of it that a server holds;
/// when more than `most_sizes` come up, the blocks of the one unused for longest are freed.
struct ParameterPool {
  static constexpr std::size_t most_sizes = 64;
  struct Shelf {
    std::size_t size = 0;
    std::vector<Parameters::Block*> free;
  };
  std::vector<Shelf> shelves;  // the last used first

  ~ParameterPool() {
    for (Shelf& shelf : shelves) clear(shelf);
  }

  static void clear(Shelf& shelf) {
    for (Parameters::Block* block : shelf.free) {
      ::operator delete(block, std::align_val_t(Parameters::Block::alignment));
    }
    shelf.free.clear();
  }

  Shelf& shelf(std::size_t size) {
    if (!shelves.empty() && shelves.front().size == size) return shelves.front();
    std::size_t i = 0;
    while (i < shelves.size() && shelves[i].size != size) ++i;
    if (i == shelves.size()) {
      if (shelves.size() == most_sizes) {
        clear(shelves.back());
        shelves.back().size = size;
        --i;
      } else {
        shelves.push_back({size, {}});
      }
    }
    const auto found = shelves.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(shelves.begin(), found, found + 1);
    return shelves.front();
  }

  Parameters::Block* take(std::size_t wanted) {
    std::vector<Parameters::Block*>& free = shelf(wanted).free;
    if (!free.empty()) {
      Parameters::Block* block = free.back();
      free.pop_back();
      block->holders = 1;
      return block;
    }
    const std::size_t bytes = Parameters::Block::header + wanted * sizeof(float);
    void* memory = ::operator new(bytes, std::align_val_t(Parameters::Block::alignment));
    return new (memory) Parameters::Block{wanted, 1};
  }

  void give_back(Parameters::Block* block) { shelf(block->size).free.push_back(block); }

  /// One per process: a simulation owns its process.
  static ParameterPool& instance() {
    static ParameterPool pool;
    return pool;
  }
};

Parameters::Parameters(std::size_t size)
    : block_(ParameterPool::instance().take(size)), size_(size) {}

Parameters::Parameters(const Parameters& other)
    : block_(other.block_), begin_(other.begin_), size_(other.size_) {
  if (block_ != nullptr) ++block_->holders;
}

void Parameters::release() {
  if (--block_->holders == 0) ParameterPool::instance().give_back(block_);
}

Parameters Parameters::slice(std::size_t begin, std::size_t size) const {
  assert(begin + size <= size_);
  Parameters part(*this);
  part.begin_ += begin;
  part.size_ = size;
  return part;
}

Parameters Parameters::zeros(std::size_t size) {
  Parameters zero(size);
  std::fill_n(zero.block_->floats(), size, 0.0F);
  return zero;
}

std::span<const float> Parameters::values() const {
  if (block_ == nullptr) return {};
  return {data(), size_};
}

std::span<float> Parameters::overwritable() {
  assert(block_ != nullptr);
  if (block_->holders > 1) *this = Parameters(size_);
  return {data(), size_};
}

std::span<float> Parameters::writable() {
  assert(block_ != nullptr);
  if (block_->holders > 1) {
    Parameters own(size_);
    std::copy_n(data(), size_, own.data());
    *this = std::move(own);
  }
  return {data(), size_};
}

float* Parameters::data() const {
  return block_->floats() + begin_;
}

Parameters Parameters::detached() const {
  assert(block_ != nullptr);
  return block_->holders > 1 ? Parameters(size_) : Parameters();
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
