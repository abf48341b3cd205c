#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace motley {

/// What an algorithm may know of the run when its parameters are read.
struct RunFacts {
  std::vector<std::string> names;  ///< of the workers, by rank
  std::vector<double> speeds;      ///< of the workers, in flops, as the cluster's description says
  std::size_t workers = 0;
  std::size_t servers = 0;
  std::size_t samples_per_epoch = 0;
  double flops_per_sample = 0;
  std::uint64_t seed = 0;
  bool everybody_has_all_data = true;  ///< the partition is iid

  double fastest_speed() const;
  double slowest_speed() const;
  /// How long all workers together compute for one pass over the data, at the speeds described.
  double epoch_s() const;

  /// How many updates make an epoch when `updates` of them take so many samples; step-size
  /// schedules are counted by it. One division of whole numbers: algorithms that coincide get the
  /// same bits.
  double updates_per_epoch(std::size_t samples, std::size_t updates = 1) const {
    return static_cast<double>(samples_per_epoch * updates) / static_cast<double>(samples);
  }
};

}  // namespace motley
