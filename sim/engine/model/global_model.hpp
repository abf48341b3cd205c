#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/computing/evaluator.hpp"
#include "sim/engine/failures/checkpoint.hpp"
#include "sim/engine/model/shard_model.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {

struct ShardState;

/// The global model as everybody's updates make it, wherever its parts are, and its curve: what it
/// is tested to be when a point is due.
class GlobalModel {
 public:
  using Shards = std::vector<std::unique_ptr<ShardState>>;

  /// `evaluated`: called after every point of the curve.
  GlobalModel(const Model& initial, Evaluator& evaluator, Recorder& recorder, ThreadPool& pool,
              bool is_real, std::size_t workers, std::function<void(double now)> evaluated);

  /// Before anything happens. The shards, or what is derived of them, must outlive this.
  template <class OfShard>
  void begin(const Algorithm& algorithm, const std::vector<std::unique_ptr<OfShard>>& shards) {
    algorithm_ = &algorithm;
    for (const std::unique_ptr<OfShard>& shard : shards) shards_.push_back(shard.get());
  }

  /// Where workers never merge their models: who averages those of the ranks given when their mean meets
  /// the target. Without it such a mean never exists, and reaches no target.
  void average_by(std::function<void(const std::vector<std::size_t>& ranks)> average) {
    average_ = std::move(average);
  }

  // Call evaluate_merge_before(now) before any of these.

  /// An update of the whole is made: x gets its version.
  void update(double now, Model& x);
  /// An update of a shard is made; of the whole when every shard has it.
  void update_shard(double now, ShardModel& shard, Model& x);
  /// A worker has made its steps-th update of its own model since the models were merged.
  void update_own(double now, std::size_t rank, const Model& x, std::uint64_t steps);
  /// Makes the point of the curve that a worker's own update at an earlier moment made due: only
  /// when that moment is over, so that it shows all that happened then, in whatever order.
  void evaluate_merge_before(double now);
  /// Makes a point of the curve.
  void evaluate(double now);

  // Where somebody may fail.

  /// Before anything happens.
  void save_every(const std::optional<double>& interval_s) {
    checkpoint_.begin(global_, interval_s);
    is_saved_ = true;
  }
  /// What was saved last.
  const Model& saved(double now);
  /// A server begins anew with an older model.
  void fall_back(const ShardModel& shard);
  /// All workers begin anew with the global model.
  void forget_own() { own_models_.clear(); }
  /// The worker's own model is lost: what a merge would give is of the others.
  void lose_own(std::size_t rank);

  double evaluation_wall_s() const { return evaluation_wall_s_; }

 private:
  /// What the servers hold, or what a merge would give.
  Parameters current() const;
  /// How far the workers' own models are from `mean`; empty where they are merged or there are none.
  std::optional<double> consensus(const Parameters& mean) const;
  /// Of the workers' own models in what a merge would give.
  std::vector<double> weights_of_own() const;
  /// Whether current() is only what a merge would give.
  EvaluatedModel kind() const;
  /// Of the workers whose own model is not lost.
  std::vector<std::size_t> with_own() const;

  Evaluator& evaluator_;
  Recorder& recorder_;
  ThreadPool& pool_;
  bool is_real_;
  std::size_t workers_;
  std::function<void(double)> evaluated_;
  std::function<void(const std::vector<std::size_t>&)> average_;
  const Algorithm* algorithm_ = nullptr;
  std::vector<const ShardModel*> shards_;
  Model global_;
  std::vector<Parameters> own_models_;  // of the workers, since the last merge; often none
  std::vector<std::uint64_t> own_steps_;
  std::vector<bool> own_is_lost_;  // of workers that are down; empty: of none
  Checkpoint checkpoint_;
  bool is_saved_ = false;
  std::optional<double> merge_due_;  // since when
  double evaluation_wall_s_ = 0;
};

}  // namespace motley
