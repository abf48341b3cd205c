#include "sim/engine/server.hpp"

#include <algorithm>
#include <optional>

#include "sim/engine/simulation.hpp"

namespace motley {

Server::Server(Simulation& simulation, std::size_t shard)
    : simulation_(simulation), shard_(simulation.shard(shard)) {}

std::size_t Server::workers() const {
  return simulation_.workers();
}

double Server::clock() const {
  return simulation_.clock();
}

Model Server::initial_model() const {
  const Model whole = simulation_.initial_model();
  return {whole.slice(shard_.shard.begin, shard_.shard.size), 0, {}, {}};
}

Push Server::next_push() {
  shard_.waits_for = "a push from any worker";
  Push push = shard_.inbox.take();
  shard_.waits_for = "nothing";
  return push;
}

std::vector<Push> Server::next_push_of_each() {
  early_.resize(workers());
  std::vector<std::optional<Push>> found(workers());
  std::size_t count = 0;
  for (std::size_t worker = 0; worker < workers(); ++worker) {
    if (early_[worker].empty()) continue;
    found[worker] = std::move(early_[worker].front());
    early_[worker].pop_front();
    ++count;
  }
  while (count < workers()) {
    Push push = next_push();
    const std::size_t worker = push.worker;
    if (found[worker]) {
      early_[worker].push_back(std::move(push));
    } else {
      found[worker] = std::move(push);
      ++count;
    }
  }
  std::vector<Push> pushes;
  pushes.reserve(workers());
  for (std::optional<Push>& push : found) pushes.push_back(std::move(*push));
  return pushes;
}

void Server::send_model(std::size_t worker, const Model& x) {
  simulation_.network().send(simulation_.server_node(shard_.shard.server), worker,
                             shard_.shard.bytes,
                             [simulation = &simulation_, shard = shard_.index, worker, x] {
                               simulation->model_arrived(worker, shard, x);
                             });
}

void Server::broadcast_model(const Model& x) {
  for (std::size_t worker = 0; worker < workers(); ++worker) send_model(worker, x);
}

void Server::step(SgdRule& rule, Model& x, const Parameters& g, float scale) const {
  rule.step(x, g, simulation_.pool(), scale);
}

Parameters Server::mean(std::span<const Push> pushes) const {
  const double share = 1.0 / static_cast<double>(pushes.size());
  return weighted_sum(pushes, std::vector<float>(pushes.size(), static_cast<float>(share)));
}

Parameters Server::weighted_sum(std::span<const Push> pushes,
                                std::span<const float> weights) const {
  std::vector<const Parameters*> vectors;
  for (const Push& push : pushes) vectors.push_back(&push.gradient);
  return motley::weighted_sum(vectors, weights, simulation_.pool());
}

std::uint64_t Server::staleness(const Push& push) const {
  return shard_.updates - push.gradient.version;
}

void Server::finish_update(Model& x, std::span<const Push> used) {
  for (const Push& push : used) {
    simulation_.recorder().worker(push.worker).count_staleness(staleness(push));
  }
  const double start = clock();
  if (shard_.shard.update_flops > 0) {
    simgrid::s4u::this_actor::execute(shard_.shard.update_flops);
  }
  if (Timeline* timeline = simulation_.recorder().timeline()) {
    std::vector<Timeline::MessageId> messages;
    for (const Push& push : used) messages.push_back(push.message);
    timeline->updated(simulation_.server_node(shard_.shard.server), start, clock(), messages);
  }
  simulation_.finish_shard_update(shard_, x);
}

void Server::discard(const Push& push) {
  simulation_.recorder()
      .worker(push.worker)
      .discard(push.gradient.compute_s * simulation_.share_of_model(shard_));
}

void Server::record_decision(std::size_t worker, const char* quantity, double value) {
  if (shard_.index == 0) simulation_.recorder().decided(clock(), worker, quantity, value);
}

}  // namespace motley
