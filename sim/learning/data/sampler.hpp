#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/learning/data/dataset.hpp"

namespace motley {

/// Which training samples each worker may draw. Under `iid` everybody shares the whole set and
/// nothing is stored per worker.
class Partition {
 public:
  /// Everybody draws from all `samples`.
  explicit Partition(std::size_t samples) : samples_(samples) {}
  /// `labels` (one per training sample) and `classes` are used by dirichlet and by_label.
  Partition(const PartitionSpec& spec, std::span<const std::uint16_t> labels, std::size_t classes,
            std::size_t workers, std::uint64_t seed, const Place& place);

  /// Disjoint random parts in proportion to `shares`, one a worker, of at least one sample each.
  Partition(std::size_t samples, std::span<const double> shares, std::uint64_t seed);

  /// How many samples worker `rank` draws from.
  std::size_t size(std::size_t rank) const;
  /// The index-th of them.
  Sample at(std::size_t rank, std::size_t index) const;

 private:
  std::size_t samples_ = 0;
  std::vector<std::vector<Sample>> parts_;  // empty: everybody has everything
};

/// One worker's endless sequence of samples, a pure function of (seed, rank, its part): `shuffled`
/// passes over its part in a new pseudo-random order each time, without storing the order;
/// `independent` draws uniformly with replacement. A few bytes per worker.
class Sampler {
 public:
  Sampler(const Partition& partition, DataSpec::Order order, std::uint64_t seed, std::size_t rank);

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
  DataSpec::Order order_;
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

}  // namespace motley
