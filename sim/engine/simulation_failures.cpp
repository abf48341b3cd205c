#include <algorithm>
#include <sstream>

#include "sim/engine/simulated_worker.hpp"
#include "sim/engine/simulation.hpp"

/// What becomes of the parts of a simulation when machines fail and return. A body's actor ends with its
/// machine, wherever it is in its verbs; a new one begins the body when the machine is there again.
namespace motley {

void Simulation::expect_failures() {
  recorder_.expect_failures();
  network_.follow_failures(failures_);
  global_model_.save_every(failures_.checkpoint_s());
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    shard->checkpoint.begin(shard->model, failures_.checkpoint_s());
  }
  worker_actors_.resize(workers());
  server_actors_.resize(shards_.size());
  has_ended_.resize(workers(), false);
}

bool Simulation::is_anything_going_on() {
  if (is_left_to_background()) stand_still();  // failures alone bring nothing any further
  return !over_;
}

void Simulation::machine_fails(std::size_t node) {
  if (over_) return;
  network_.lose_messages_of(node);
  parcels_.throw_away_of(node);
  if (node >= workers()) {
    server_fails(node);
    end_if_nothing_comes_of_it();
    return;
  }
  if (has_ended_[node]) return;
  recorder_.worker(node).fail(clock());
  if (workers_[node]) workers_[node]->lose_everything();
  has_begun_[node] = false;
  groups_.member_fails(node);
  replicas_.worker_fails(node);
  global_model_.lose_own(node);
  if (worker_actors_[node]) worker_actors_[node]->kill();
  worker_actors_[node] = nullptr;
  end_if_nobody_is_left();
  end_if_nothing_comes_of_it();
}

void Simulation::machine_is_missed(std::size_t node) {
  if (over_ || node >= workers() || has_ended_[node]) return;
  if (failures_.drops()) tell(Event::Kind::left, node);
  groups_.member_is_missed(node);
  replicas_.worker_is_missed(node);
  for (const std::unique_ptr<SimulatedWorker>& worker : workers_) {
    if (worker) worker->mail().look();
  }
}

void Simulation::machine_returns(std::size_t node) {
  if (over_) return;
  if (node >= workers()) {
    server_returns(node);
    return;
  }
  if (has_ended_[node]) return;
  recorder_.worker(node).come_back(clock());
  if (workers_[node]) workers_[node]->lose_everything();  // what servers have begun anew since
  replicas_.worker_returns(node);
  groups_.member_returns(node);
  tell(Event::Kind::joined, node);
  if (!algorithm_.workers_begin_with_a_model()) start_worker(node);
}

// ---- Servers ----

void Simulation::server_fails(std::size_t node) {
  server_down_since_[node] = clock();
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    if (!has_server_ || server_node(shard->shard.server) != node) continue;
    simgrid::s4u::ActorPtr& actor = server_actors_[shard->index];
    if (actor) actor->kill();
    actor = nullptr;
    shard->inbox.throw_away_all(parcels_);
    shard->waits_for = "its machine";
    shard->checkpoint.pass(clock(), shard->model, shard->updates);
  }
}

void Simulation::server_returns(std::size_t node) {
  if (Timeline* timeline = recorder_.timeline()) {
    timeline->was_down(node, server_down_since_[node], clock());
  }
  bool is_counted = false;  // once for all shards of the server
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    if (!has_server_ || server_node(shard->shard.server) != node) continue;
    shard->inbox.throw_away_all(parcels_);  // what it is told of others it sees for itself
    ++shard->life;
    shard->updates_before = shard->checkpoint.updates();
    shard->model = shard->checkpoint.saved();
    shard->model.version = shard->updates;
    if (!is_counted) recorder_.updates_lost(shard->updates - shard->checkpoint.updates());
    is_counted = true;
    global_model_.fall_back(*shard);
    start_server(*shard);
  }
}

// ---- The end ----

bool Simulation::is_worker_left() const {
  if (!failures_.any()) return workers_done_ < workers();
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    if (!has_ended_[rank] && !failures_.is_gone_for_good(rank)) return true;
  }
  return false;
}

void Simulation::fail(const std::string& reason) {
  failure_ = reason;
  end_at(clock());
}

void Simulation::end_if_nobody_is_left() {
  if (is_worker_left()) return;
  if (workers_done_ > 0) {
    end_at(clock());
    return;
  }
  std::ostringstream reason;
  reason << "every worker is down for good since " << clock() << " s";
  fail(reason.str());
}

void Simulation::end_if_nothing_comes_of_it() {
  constexpr std::uint64_t most_per_worker = 1000;
  if (over_) return;
  if (recorder_.updates() > updates_seen_) {
    updates_seen_ = recorder_.updates();
    failures_at_update_ = failures_.total();
    update_seen_at_ = clock();
  }
  const std::uint64_t since = failures_.total() - failures_at_update_;
  if (since <= most_per_worker * workers()) return;
  std::ostringstream reason;
  reason << "no update in " << since << " failures since " << update_seen_at_
         << " s: machines fail before anything is done";
  fail(reason.str());
}

}  // namespace motley
