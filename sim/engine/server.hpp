#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/core/learning/sgd_rule.hpp"
#include "sim/engine/model.hpp"

namespace motley {

class Simulation;
struct ShardState;

/// What the parameter server's algorithm can do; see Worker. With several servers, or layers that
/// travel alone, there is one of these for each shard: models and gradients are then that part of
/// the whole, versions and staleness are counted in the shard's own updates.
class Server {
 public:
  Server(Simulation& simulation, std::size_t shard);

  std::size_t workers() const;
  double clock() const;
  Model initial_model() const;

  /// Waits for the next message of any worker, in order of arrival (ties by rank).
  Push next_push();
  /// Waits until every worker has pushed once; in order of rank. What somebody pushes for a second
  /// time meanwhile is kept for the next call.
  std::vector<Push> next_push_of_each();

  /// Sends a snapshot of x to one worker and goes on at once.
  void send_model(std::size_t worker, const Model& x);
  void broadcast_model(const Model& x);

  /// Updates of the global model between reading x and now, for the gradient of this push.
  std::uint64_t staleness(const Push& push) const;

  /// One step of the rule, x <- x - eta * scale * g.
  void step(SgdRule& rule, Model& x, const Parameters& g, float scale = 1) const;
  /// The mean of what was pushed, added in the order given.
  Parameters mean(std::span<const Push> pushes) const;
  /// The sum of weights[i] times what pushes[i] brought, added in the order given.
  Parameters weighted_sum(std::span<const Push> pushes, std::span<const float> weights) const;

  /// One update of the global model has been made of these pushes, and x is that model now: it gets
  /// its version, and is evaluated when due. Takes cost.flops_per_update on this host. Of several
  /// shards, an update of the whole is finished when each has made it.
  void finish_update(Model& x, std::span<const Push> used);
  void finish_update(Model& x, const Push& used) { finish_update(x, {&used, 1}); }

  /// This gradient will not be used: the time it took counts as discarded.
  void discard(const Push& push);

  /// Writes a decision about one worker into decisions.csv; of several shards the first does.
  void record_decision(std::size_t worker, const char* quantity, double value);

 private:
  Simulation& simulation_;
  ShardState& shard_;
  std::vector<std::deque<Push>> early_;  // by worker
};

}  // namespace motley
