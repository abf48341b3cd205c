#include "sim/engine/failures/recovery.hpp"

#include <algorithm>
#include <sstream>

#include "sim/engine/world.hpp"

namespace motley {

void Recovery::begin() {
  const std::optional<double>& every_s = world_.failures.checkpoint_s();
  world_.recorder.expect_failures();
  world_.network.follow_failures(world_.failures);
  world_.global_model.save_every(every_s);
  for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
    shard->checkpoint.begin(shard->model, every_s);
  }
}

void Recovery::shard_changes(ShardState& shard) {
  // What is saved while another part is away would not go with it.
  if (parts_away_.empty()) {
    shard.checkpoint.pass(world_.clock(), shard.model, updates_kept(shard));
  }
}

bool Recovery::is_anything_going_on() {
  // Failures alone bring nothing any further.
  if (world_.standstill.is_left_to_background()) get_going_or_stop();
  return !world_.ending.is_over();
}

// ---- Machines ----

void Recovery::machine_fails(std::size_t node) {
  if (world_.ending.is_over()) return;
  machine_changes();
  world_.network.lose_messages_of(node);
  world_.post.parcels().throw_away_of(node);
  if (node >= world_.workers()) {
    server_fails(node);
    end_if_nothing_comes_of_it();
    return;
  }
  if (world_.bodies.has_ended(node)) return;
  world_.recorder.worker(node).fail(world_.clock());
  world_.bodies.forget(node);
  world_.groups.member_fails(node);
  world_.replicas.worker_fails(node);
  world_.global_model.lose_own(node);
  world_.average_of_all.member_fails();
  world_.bodies.kill_worker(node);
  end_if_nobody_is_left();
  end_if_nothing_comes_of_it();
}

void Recovery::machine_is_missed(std::size_t node) {
  if (world_.ending.is_over()) return;
  machine_changes();
  if (node >= world_.workers() || world_.bodies.has_ended(node)) return;
  if (world_.failures.drops()) world_.post.tell(Event::Kind::left, node);
  world_.groups.member_is_missed(node);
  world_.replicas.worker_is_missed(node);
  for (std::size_t rank = 0; rank < world_.workers(); ++rank) {
    SimulatedWorker* worker = world_.bodies.known_worker(rank);
    if (worker != nullptr) worker->mail().look();
  }
}

void Recovery::machine_returns(std::size_t node) {
  if (world_.ending.is_over()) return;
  machine_changes();
  if (node >= world_.workers()) {
    server_returns(node);
    return;
  }
  if (world_.bodies.has_ended(node)) return;
  world_.recorder.worker(node).come_back(world_.clock());
  world_.bodies.forget(node);  // what servers have begun anew since
  world_.replicas.worker_returns(node);
  world_.groups.member_returns(node);
  world_.post.tell(Event::Kind::joined, node);
  if (!world_.algorithm.workers_begin_with_a_model()) world_.bodies.start_worker(node);
}

// ---- Servers ----

bool Recovery::has_parts_on(std::size_t node) const {
  return world_.layout.has_server() &&
         std::ranges::any_of(world_.layout.shards(), [&](const std::unique_ptr<ShardState>& shard) {
           return world_.server_node(*shard) == node;
         });
}

void Recovery::server_fails(std::size_t node) {
  server_down_since_[node] = world_.clock();
  if (!has_parts_on(node)) return;
  // The last checkpoint is the same for all parts: none is complete while one of them is away.
  if (parts_away_.empty()) {
    for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
      shard->checkpoint.pass(world_.clock(), shard->model, updates_kept(*shard));
    }
  }
  parts_away_.insert(node);
  for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
    if (world_.server_node(*shard) != node) continue;
    world_.bodies.kill_server(*shard);
    shard->inbox.throw_away_all(world_.post.parcels());
    shard->waits_for = "its machine";
    for (std::size_t rank = 0; rank < world_.workers(); ++rank) {
      SimulatedWorker* worker = world_.bodies.known_worker(rank);
      if (worker != nullptr) worker->mail().pushes_are_lost(shard->index);
    }
  }
}

void Recovery::server_returns(std::size_t node) {
  if (Timeline* timeline = world_.recorder.timeline()) {
    timeline->was_down(node, server_down_since_[node], world_.clock());
  }
  if (!has_parts_on(node)) return;
  parts_away_.erase(node);
  if (world_.layout.shards().size() > 1) {
    if (parts_away_.empty()) begin_all_anew(With::checkpoint);
    return;
  }
  ShardState& shard = world_.layout.shard(0);
  const std::uint64_t lost = updates_kept(shard) - shard.checkpoint.updates();
  world_.recorder.updates_lost(lost);
  undone_ += lost;
  begin_anew(shard, shard.checkpoint.saved(), shard.checkpoint.updates());
  world_.global_model.fall_back(shard);
}

void Recovery::begin_anew(ShardState& shard, const Model& model, std::uint64_t kept) {
  world_.bodies.kill_server(shard);
  // What it is told of others it sees for itself.
  shard.inbox.throw_away_all(world_.post.parcels());
  ++shard.life;
  shard.updates_before = kept;
  shard.model = model;
  shard.model.version = shard.updates;
  world_.bodies.start_server(shard);
}

void Recovery::begin_anew(std::size_t rank) {
  if (world_.bodies.has_ended(rank) || !world_.failures.is_up(rank)) return;
  world_.recorder.worker(rank).lose_work(world_.clock());
  world_.bodies.forget(rank);
  world_.replicas.worker_returns(rank);
  world_.bodies.kill_worker(rank);
  if (!world_.algorithm.workers_begin_with_a_model()) world_.bodies.start_worker(rank);
}

void Recovery::begin_all_anew(With with) {
  if (!world_.groups.empty()) {
    world_.ending.fail(
        "a server has failed, and workers who have groups as well as several servers cannot begin "
        "anew");
    return;
  }
  world_.network.lose_all_messages();
  world_.post.parcels().throw_away_all_under_way();
  world_.global_model.forget_own();
  const std::uint64_t updates = world_.recorder.updates();  // that all parts have made
  std::uint64_t kept = updates - undone_;
  if (with == With::checkpoint) {
    for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
      kept = std::min(kept, shard->checkpoint.updates());
    }
    world_.recorder.updates_lost(updates - undone_ - kept);
    undone_ = updates - kept;
  }
  for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
    shard->updates = updates;
    const Model model = with == With::checkpoint ? shard->checkpoint.saved() : shard->model;
    begin_anew(*shard, model, kept);
    shard->checkpoint.pass(world_.clock(), shard->model, kept);
  }
  for (std::size_t rank = 0; rank < world_.workers(); ++rank) begin_anew(rank);
}

// ---- Parts at odds ----

// What was under way when a machine failed may have come to one server and not to another. It is rare
// that everybody ends up waiting for everybody because of that, but it can be. So it is looked for, ever
// more seldom after the last failure or return; then all begin anew, with the model they have.

void Recovery::machine_changes() {
  ++changes_of_machines_;
  if (world_.layout.shards().size() < 2 || !world_.layout.has_server()) return;
  constexpr double least_s = 1e-3;
  watch_interval_s_ = std::max(least_s, world_.setup.scenario.cluster.failures->detect_after_s);
  world_.agenda.set(world_.clock() + watch_interval_s_, watch_);
}

void Recovery::watch() {
  if (world_.ending.is_over()) return;
  if (world_.standstill.is_left_to_background()) get_going_or_stop();
  if (world_.ending.is_over()) return;
  watch_interval_s_ *= 2;
  world_.agenda.set(world_.clock() + watch_interval_s_, watch_);
}

bool Recovery::can_get_going() const {
  const bool has_parts = world_.layout.shards().size() > 1 && world_.layout.has_server();
  if (!has_parts || changes_of_machines_ == 0) return false;
  // Else it did not help.
  return world_.recorder.updates() > got_going_at_update_ ||
         changes_of_machines_ > got_going_at_changes_;
}

void Recovery::get_going_or_stop() {
  if (!can_get_going()) {
    world_.standstill.end_run();
    return;
  }
  got_going_at_update_ = world_.recorder.updates();
  got_going_at_changes_ = changes_of_machines_;
  begin_all_anew(With::present_model);
}

// ---- The end ----

void Recovery::end_if_nobody_is_left() {
  if (world_.bodies.is_worker_left()) return;
  if (world_.bodies.ended() > 0) {
    world_.ending.end();
    return;
  }
  std::ostringstream reason;
  reason << "every worker is down for good since " << world_.clock() << " s";
  world_.ending.fail(reason.str());
}

void Recovery::end_if_nothing_comes_of_it() {
  constexpr std::uint64_t most_per_worker = 1000;
  if (world_.ending.is_over()) return;
  if (world_.recorder.updates() > updates_seen_) {
    updates_seen_ = world_.recorder.updates();
    failures_at_update_ = world_.failures.total();
    update_seen_at_ = world_.clock();
  }
  const std::uint64_t since = world_.failures.total() - failures_at_update_;
  if (since <= most_per_worker * world_.workers()) return;
  std::ostringstream reason;
  reason << "no update in " << since << " failures since " << update_seen_at_
         << " s: machines fail before anything is done";
  world_.ending.fail(reason.str());
}

}  // namespace motley
