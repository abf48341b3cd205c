#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/learning/data/sample.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

struct PartitionSpec {
  enum class Kind { iid, shards, dirichlet, by_label, by_column };
  Kind kind = Kind::iid;
  double alpha = 0;         ///< of the Dirichlet law; small is uneven
  std::string column = {};  ///< of a table, whose values say whose a sample is

  static Fields<PartitionSpec> fields();
};

/// Which training samples each worker may draw. Under `iid` everybody shares the whole set and
/// nothing is stored per worker.
class Partition {
 public:
  /// Everybody draws from all `samples`.
  explicit Partition(std::size_t samples) : samples_(samples) {}
  /// InputError when there are too few samples, or owners of samples, for the workers.
  static void check(const PartitionSpec& spec, std::size_t samples, std::size_t workers,
                    const Place& place, std::size_t owners = 0);
  /// `labels` (one per training sample) and `classes` are used by dirichlet and by_label, `owners`
  /// (see Dataset) by by_column. What check() refuses must not be asked for.
  Partition(const PartitionSpec& spec, std::span<const std::uint16_t> labels, std::size_t classes,
            std::size_t workers, std::uint64_t seed, std::span<const std::uint32_t> owners = {});

  /// Disjoint random parts in proportion to `shares`, one per worker, of at least one sample each.
  Partition(std::size_t samples, std::span<const double> shares, std::uint64_t seed);

  /// Whether everybody draws from all samples.
  bool is_shared() const { return parts_.empty(); }
  /// How many samples worker `rank` draws from.
  std::size_t size(std::size_t rank) const;
  /// The index-th of them.
  Sample at(std::size_t rank, std::size_t index) const;

 private:
  std::size_t samples_ = 0;
  std::vector<std::vector<Sample>> parts_;  // empty: everybody has everything
};

}  // namespace motley
