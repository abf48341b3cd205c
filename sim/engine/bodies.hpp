#pragma once

#include <memory>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/model/shard_state.hpp"
#include "sim/engine/simulated_worker.hpp"

namespace motley {

/// The actors that run an algorithm's bodies, and the workers they are given.
class Bodies {
 public:
  explicit Bodies(World& world);
  ~Bodies();

  /// Those who are there at the start, but for workers who begin with a model.
  void start();
  void start_server(ShardState& shard);
  /// Also with what arrives first, where it begins with a model.
  void start_worker(std::size_t rank);

  /// Made when it is first needed: most of a large population never are.
  SimulatedWorker& worker(std::size_t rank);
  /// Null: it was not needed so far.
  SimulatedWorker* known_worker(std::size_t rank) const { return workers_[rank].get(); }
  /// Where something has just arrived; begins the worker's body if it waited for that.
  WorkerMail& mail_of(std::size_t rank);

  // Where somebody may fail.

  /// The actor ends, wherever it is in its verbs.
  void kill_server(const ShardState& shard);
  void kill_worker(std::size_t rank);
  /// What the worker knew is lost: its next body begins with nothing.
  void forget(std::size_t rank);
  /// The body has come to its end by itself.
  bool has_ended(std::size_t rank) const { return has_ended_[rank]; }

  /// How many bodies of workers have.
  std::size_t ended() const { return ended_; }
  /// Whether any worker goes on, or will.
  bool is_worker_left() const;

 private:
  void worker_ended(std::size_t rank);

  World& world_;
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
  std::vector<bool> has_begun_;  // the body of a worker
  std::size_t ended_ = 0;
  std::vector<bool> has_ended_;                        // where somebody may fail, as the following
  std::vector<simgrid::s4u::ActorPtr> worker_actors_;  // null: it has ended
  std::vector<simgrid::s4u::ActorPtr> server_actors_;  // by shard
};

}  // namespace motley
