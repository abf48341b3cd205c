#pragma once

#include <cstdint>
#include <span>

#include "sim/learning/data/partition.hpp"
#include "sim/learning/data/sample_order.hpp"

namespace motley {

/// One worker's endless sequence of samples, a pure function of (seed, rank, its part): `shuffled`
/// passes over its part in a new pseudo-random order each time, without storing the order;
/// `independent` draws uniformly with replacement. A few bytes per worker.
class Sampler {
 public:
  Sampler(const Partition& partition, SampleOrder order, std::uint64_t seed, std::size_t rank);

  /// From now on, and from the start, samples of another partition; it must outlive this.
  void draw_from(const Partition& partition) {
    partition_ = &partition;
    drawn_ = 0;
  }
  /// How many samples there are to draw from.
  std::size_t samples() const { return partition_->size(rank_); }
  /// The last `count` samples were not used: they come again.
  void put_back(std::size_t count) { drawn_ -= count; }
  /// Fills `out` with the next samples.
  void draw(std::span<Sample> out);

 private:
  const Partition* partition_;
  std::size_t rank_;
  SampleOrder order_;
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace motley
