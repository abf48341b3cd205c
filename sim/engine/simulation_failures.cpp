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
  if (is_left_to_background()) get_going_or_stop();  // failures alone bring nothing any further
  return !over_;
}

void Simulation::machine_fails(std::size_t node) {
  if (over_) return;
  machine_changes();
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
  if (over_) return;
  machine_changes();
  if (node >= workers() || has_ended_[node]) return;
  if (failures_.drops()) tell(Event::Kind::left, node);
  groups_.member_is_missed(node);
  replicas_.worker_is_missed(node);
  for (const std::unique_ptr<SimulatedWorker>& worker : workers_) {
    if (worker) worker->mail().look();
  }
}

void Simulation::machine_returns(std::size_t node) {
  if (over_) return;
  machine_changes();
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

bool Simulation::has_parts_on(std::size_t node) const {
  return has_server_ && std::ranges::any_of(shards_, [&](const std::unique_ptr<ShardState>& shard) {
           return server_node(shard->shard.server) == node;
         });
}

void Simulation::server_fails(std::size_t node) {
  server_down_since_[node] = clock();
  if (!has_parts_on(node)) return;
  // The last checkpoint is the same for all parts: none is complete while one of them is away.
  if (parts_away_.empty()) {
    for (const std::unique_ptr<ShardState>& shard : shards_) {
      shard->checkpoint.pass(clock(), shard->model, updates_kept(*shard));
    }
  }
  parts_away_.insert(node);
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    if (server_node(shard->shard.server) != node) continue;
    simgrid::s4u::ActorPtr& actor = server_actors_[shard->index];
    if (actor) actor->kill();
    actor = nullptr;
    shard->inbox.throw_away_all(parcels_);
    shard->waits_for = "its machine";
    for (const std::unique_ptr<SimulatedWorker>& worker : workers_) {
      if (worker) worker->mail().pushes_are_lost(shard->index);
    }
  }
}

void Simulation::server_returns(std::size_t node) {
  if (Timeline* timeline = recorder_.timeline()) {
    timeline->was_down(node, server_down_since_[node], clock());
  }
  if (!has_parts_on(node)) return;
  parts_away_.erase(node);
  if (shards_.size() > 1) {
    if (parts_away_.empty()) begin_all_anew(With::checkpoint);
    return;
  }
  ShardState& shard = *shards_.front();
  const std::uint64_t lost = updates_kept(shard) - shard.checkpoint.updates();
  recorder_.updates_lost(lost);
  undone_ += lost;
  begin_anew(shard, shard.checkpoint.saved(), shard.checkpoint.updates());
  global_model_.fall_back(shard);
}

void Simulation::begin_anew(ShardState& shard, const Model& model, std::uint64_t kept) {
  simgrid::s4u::ActorPtr& actor = server_actors_[shard.index];
  if (actor) actor->kill();
  actor = nullptr;
  shard.inbox.throw_away_all(parcels_);  // what it is told of others it sees for itself
  ++shard.life;
  shard.updates_before = kept;
  shard.model = model;
  shard.model.version = shard.updates;
  start_server(shard);
}

void Simulation::begin_anew(std::size_t rank) {
  if (has_ended_[rank] || !failures_.is_up(rank)) return;
  recorder_.worker(rank).lose_work(clock());
  if (workers_[rank]) workers_[rank]->lose_everything();
  has_begun_[rank] = false;
  replicas_.worker_returns(rank);
  if (worker_actors_[rank]) worker_actors_[rank]->kill();
  worker_actors_[rank] = nullptr;
  if (!algorithm_.workers_begin_with_a_model()) start_worker(rank);
}

void Simulation::begin_all_anew(With with) {
  if (!groups_.empty()) {
    fail(
        "a server has failed, and workers who have groups as well as several servers cannot begin "
        "anew");
    return;
  }
  network_.lose_all_messages();
  parcels_.throw_away_all_under_way();
  global_model_.forget_own();
  const std::uint64_t updates = recorder_.updates();  // that all parts have made
  std::uint64_t kept = updates - undone_;
  if (with == With::checkpoint) {
    for (const std::unique_ptr<ShardState>& shard : shards_) {
      kept = std::min(kept, shard->checkpoint.updates());
    }
    recorder_.updates_lost(updates - undone_ - kept);
    undone_ = updates - kept;
  }
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    shard->updates = updates;
    const Model model = with == With::checkpoint ? shard->checkpoint.saved() : shard->model;
    begin_anew(*shard, model, kept);
    shard->checkpoint.pass(clock(), shard->model, kept);
  }
  for (std::size_t rank = 0; rank < workers(); ++rank) begin_anew(rank);
}

// ---- Parts at odds ----

// What was under way when a machine failed may have come to one server and not to another. It is rare
// that everybody ends up waiting for everybody because of that, but it can be. So it is looked for, ever
// more seldom after the last failure or return; then all begin anew, with the model they have.

void Simulation::machine_changes() {
  ++changes_of_machines_;
  if (shards_.size() < 2 || !has_server_) return;
  constexpr double least_s = 1e-3;
  watch_interval_s_ = std::max(least_s, setup_.scenario.cluster.failures->detect_after_s);
  agenda_.set(clock() + watch_interval_s_, watch_);
}

void Simulation::watch() {
  if (over_) return;
  if (is_left_to_background()) get_going_or_stop();
  if (over_) return;
  watch_interval_s_ *= 2;
  agenda_.set(clock() + watch_interval_s_, watch_);
}

bool Simulation::can_get_going() const {
  if (shards_.size() < 2 || !has_server_ || changes_of_machines_ == 0) return false;
  // Else it did not help.
  return recorder_.updates() > got_going_at_update_ || changes_of_machines_ > got_going_at_changes_;
}

void Simulation::get_going_or_stop() {
  if (!can_get_going()) {
    stand_still();
    return;
  }
  got_going_at_update_ = recorder_.updates();
  got_going_at_changes_ = changes_of_machines_;
  begin_all_anew(With::present_model);
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
