#include "sim/engine/bodies.hpp"

#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/engine/simulated_server.hpp"
#include "sim/engine/world.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

Bodies::Bodies(World& world) : world_(world) {
  workers_.resize(world.workers());
  has_begun_.resize(world.workers(), false);
  if (!world.failures.any()) return;
  has_ended_.resize(world.workers(), false);
  worker_actors_.resize(world.workers());
  server_actors_.resize(world.layout.shards().size());
}

Bodies::~Bodies() = default;

void Bodies::start() {
  const bool all_begin = !world_.algorithm.workers_begin_with_a_model();
  // Side by side in memory, before there are stacks in between: with thousands of workers a step costs as
  // much as the pages it touches.
  for (std::size_t rank = 0; all_begin && rank < workers_.size(); ++rank) {
    if (world_.failures.is_up(rank)) worker(rank);
  }
  generation::add_actor("referee", world_.platform.any_host(),
                        [this] { world_.ending.wait_for_end(); });
  if (world_.layout.has_server()) {
    for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
      if (world_.failures.is_up(world_.server_node(*shard))) start_server(*shard);
    }
  }
  for (std::size_t rank = 0; all_begin && rank < workers_.size(); ++rank) {
    if (world_.failures.is_up(rank)) start_worker(rank);
  }
}

void Bodies::start_server(ShardState& shard) {
  s4u::Host* host = world_.platform.host(world_.server_node(shard));
  const s4u::ActorPtr actor = generation::add_actor("server", host, [this, &shard] {
    world_.ending.guard([&] {
      SimulatedServer me(world_, shard);
      world_.algorithm.server(me);
      shard.waits_for = "nothing: its body has returned";
    });
  });
  actor->daemonize();
  if (!server_actors_.empty()) server_actors_[shard.index] = actor;
}

void Bodies::start_worker(std::size_t rank) {
  has_begun_[rank] = true;
  const std::string& name = world_.setup.cluster.workers[rank].name;
  const s4u::ActorPtr actor = generation::add_actor(name, world_.platform.host(rank), [this, rank] {
    world_.ending.guard([&] {
      world_.algorithm.worker(worker(rank));
      worker_ended(rank);
    });
  });
  actor->daemonize();
  if (!worker_actors_.empty()) worker_actors_[rank] = actor;
}

SimulatedWorker& Bodies::worker(std::size_t rank) {
  std::unique_ptr<SimulatedWorker>& worker = workers_[rank];
  if (!worker) {
    worker = std::make_unique<SimulatedWorker>(world_, rank);
    worker->mail().expect(world_.layout.shards().size(), world_.layout.compress());
  }
  return *worker;
}

WorkerMail& Bodies::mail_of(std::size_t rank) {
  if (!has_begun_[rank] && world_.algorithm.workers_begin_with_a_model()) start_worker(rank);
  return worker(rank).mail();
}

void Bodies::worker_ended(std::size_t rank) {
  world_.post.tell(Event::Kind::left, rank);
  world_.recorder.expenses().worker_left(world_.clock(), rank);
  ++ended_;
  if (world_.failures.any()) {
    has_ended_[rank] = true;
    worker_actors_[rank] = nullptr;
  }
  if (!is_worker_left() && !world_.ending.is_over()) world_.ending.end();
}

bool Bodies::is_worker_left() const {
  if (!world_.failures.any()) return ended_ < workers_.size();
  for (std::size_t rank = 0; rank < workers_.size(); ++rank) {
    if (!has_ended_[rank] && !world_.failures.is_gone_for_good(rank)) return true;
  }
  return false;
}

void Bodies::kill_server(const ShardState& shard) {
  s4u::ActorPtr& actor = server_actors_[shard.index];
  if (actor) actor->kill();
  actor = nullptr;
}

void Bodies::kill_worker(std::size_t rank) {
  if (worker_actors_[rank]) worker_actors_[rank]->kill();
  worker_actors_[rank] = nullptr;
}

void Bodies::forget(std::size_t rank) {
  if (workers_[rank]) workers_[rank]->lose_everything();
  has_begun_[rank] = false;
}

}  // namespace motley
