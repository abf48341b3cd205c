#pragma once

#include <string>
#include <vector>

#include "sim/base/thread_pool.hpp"
#include "sim/engine/collectives/gradient_buckets.hpp"
#include "sim/engine/computing/shared_partitions.hpp"
#include "sim/engine/model/model_split.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/live/post.hpp"
#include "sim/results/evaluation_schedule.hpp"
#include "sim/results/stop_rule.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {

/// What the verbs of one rank are made of. Ranks are numbered as the nodes of a simulation: workers, then
/// servers.
class LiveContext {
 public:
  /// `emulate`: computations are stretched to the time that the scenario gives them. All must outlive this.
  LiveContext(const SimulationSetup& setup, const Algorithm& algorithm, Post& post, bool emulate);

  const SimulationSetup& setup() const { return setup_; }
  const Algorithm& algorithm() const { return algorithm_; }
  Post& post() { return post_; }
  RunLog& log() { return post_.log(); }
  double clock() const { return post_.now(); }
  bool emulate() const { return emulate_; }
  ThreadPool& pool() { return pool_; }
  SharedPartitions& partitions() { return partitions_; }
  std::size_t workers() const { return setup_.cluster.workers.size(); }
  std::size_t node_of(const Shard& shard) const { return workers() + shard.server; }
  /// The shard that the rank serves; none if it is a worker, or spare.
  std::optional<std::size_t> shard_of(std::size_t rank) const;
  const Model& initial_model() const { return initial_; }
  const std::vector<Shard>& shards() const { return shards_; }
  const ExchangeSpec& exchange() const { return exchange_; }
  const std::vector<GradientBucket>& gradient_buckets() const { return gradient_buckets_; }
  const std::vector<Layer>& layers() const { return layers_; }

  // What is recorded. The caller does not return from those of an update when the run is over.
  void note(LogEntry entry);
  /// What an update was made of.
  struct Made {
    double begin_s = 0;
    std::vector<std::uint32_t> used = {};  ///< messages, by their numbers here
    double staleness = 0;                  ///< the mean of theirs
    std::uint64_t samples = 0;             ///< of all gradients so far, as far as is known here
  };
  void update_finished(const Parameters& x, Made made);
  void own_update_finished(const Parameters& x, std::uint64_t steps);
  void gradient_computed(std::uint64_t samples, std::optional<double> loss);
  /// The last model is evaluated, too: call it at the end.
  void keep_last_model();

  /// Of this rank alone.
  std::uint64_t updates() const { return updates_; }
  std::uint64_t samples() const { return samples_; }

 private:
  bool is_due(std::uint64_t updates, std::uint64_t samples);

  SimulationSetup setup_;
  const Algorithm& algorithm_;
  Post& post_;
  bool emulate_;
  ThreadPool pool_{1};
  SharedPartitions partitions_;
  ExchangeSpec exchange_;
  Model initial_;
  std::vector<Layer> layers_;
  std::vector<Shard> shards_;
  std::vector<GradientBucket> gradient_buckets_;
  StopRule stop_;
  EvaluationSchedule schedule_;
  std::uint64_t updates_ = 0;
  std::uint64_t samples_ = 0;
  bool has_own_updates_ = false;  // since the last merge
  Parameters last_model_;
  std::optional<std::size_t> last_update_;  // its entry in the log
};

}  // namespace motley
