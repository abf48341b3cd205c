#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/learning/data/sampler.hpp"

namespace motley {

/// Parts of the data in proportion to given shares: a function of them and the seed. Whoever asks
/// for the same shares gets the same object, so that thousands of workers do not each hold one.
class SharedPartitions {
 public:
  SharedPartitions(std::size_t samples, std::uint64_t seed) : samples_(samples), seed_(seed) {}

  const Partition& by(std::span<const double> shares) {
    std::unique_ptr<Partition>& partition =
        partitions_[std::vector<double>(shares.begin(), shares.end())];
    if (!partition) partition = std::make_unique<Partition>(samples_, shares, seed_);
    return *partition;
  }

 private:
  std::size_t samples_;
  std::uint64_t seed_;
  std::map<std::vector<double>, std::unique_ptr<Partition>> partitions_;  // by shares
};

}  // namespace motley
