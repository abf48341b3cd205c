#include "sim/engine/standstill.hpp"

#include <algorithm>
#include <string_view>

#include "sim/engine/who_waits.hpp"
#include "sim/engine/world.hpp"

namespace motley {

bool Standstill::is_stuck() const {
  if (world_.network.in_flight() > 0 || world_.failures.is_change_due()) return false;
  for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
    const bool is_updating = std::string_view(shard->waits_for) == "nothing";
    if (world_.layout.has_server() && is_updating) return false;
  }
  for (const WorkerAccount& account : world_.recorder.workers()) {
    if (!account.idle()) return false;
  }
  return true;
}

bool Standstill::is_left_to_background() const {
  return is_stuck() && world_.agenda.has_only_background() && since() < world_.clock() &&
         world_.agenda.last_foreground() < world_.clock();
}

double Standstill::since() const {
  double last = 0;
  for (const WorkerAccount& account : world_.recorder.workers()) {
    last = std::max(last, account.since());
  }
  return last;
}

void Standstill::end_run() {
  if (world_.ending.is_over()) return;
  world_.ending.fail_at(since(), who_waits_for_whom(since()));
}

std::string Standstill::who_waits_for_whom(double since) const {
  WhoWaits who;
  const ClusterPlan& cluster = world_.setup.cluster;
  if (world_.layout.has_server()) {
    for (const std::unique_ptr<ShardState>& shard : world_.layout.shards()) {
      who.add(cluster.servers[shard->shard.server].name, shard->waits_for);
    }
  }
  for (std::size_t rank = 0; rank < world_.workers(); ++rank) {
    const std::string& name = cluster.workers[rank].name;
    const SimulatedWorker* worker = world_.bodies.known_worker(rank);
    if (world_.failures.is_gone_for_good(rank))
      who.add_gone(name);
    else
      who.add(name, worker != nullptr ? worker->mail().waits_for() : "a model from the server");
  }
  return who.text(since);
}

}  // namespace motley
