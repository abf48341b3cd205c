#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/step_time.hpp"

namespace motley {

struct ClusterPlan;

/// What an algorithm may know of the run when its parameters are read.
struct RunFacts {
  std::vector<std::string> names;  ///< of the workers, by rank
  /// Of the workers, in flops, as the cluster's description says; those that depend on the batch are
  /// at the algorithm's own batch sizes.
  std::vector<double> speeds;
  std::size_t workers = 0;
  std::size_t servers = 0;
  std::size_t samples_per_epoch = 0;
  double flops_per_sample = 0;
  std::uint64_t seed = 0;
  bool everybody_has_all_data = true;      ///< the partition is iid
  std::vector<std::string> class_of = {};  ///< of the workers, by rank
  std::vector<std::size_t> node_of = {};   ///< by rank; those of one number are in one machine
  /// By rank, the largest that fits; empty when there is no limit for anybody.
  std::vector<std::optional<std::size_t>> max_batches = {};
  /// By rank, with the speeds they are meant for; empty when no speed depends on the batch.
  std::vector<std::pair<double, StepTime>> step_times = {};
  /// Whether a worker may at times be faster than its speed: by noise of mean 1, changes, or a platform file.
  bool may_be_faster = false;
  std::size_t parameters = 0;  ///< of the model that is trained; 0 when nothing is learnt

  /// With these batches instead, by rank.
  std::vector<double> speeds_at(std::span<const std::size_t> batches) const;
  double fastest_speed() const;
  /// How long all workers together compute for one pass over the data, at the speeds described.
  double epoch_s() const;

  /// How many updates make an epoch when `updates` of them take so many samples; step-size
  /// schedules are counted by it. One division of whole numbers: algorithms that coincide get the
  /// same bits.
  double updates_per_epoch(std::size_t samples, std::size_t updates = 1) const {
    return static_cast<double>(samples_per_epoch * updates) / static_cast<double>(samples);
  }
};

/// All that the facts say of the workers one by one.
void describe_workers(const ClusterPlan& plan, RunFacts& facts);

}  // namespace motley
