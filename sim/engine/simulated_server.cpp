#include "sim/engine/simulated_server.hpp"

#include <algorithm>

#include "sim/engine/simulation.hpp"
#include "sim/engine/wire_bytes.hpp"

namespace motley {

SimulatedServer::SimulatedServer(Simulation& simulation, std::size_t shard)
    : simulation_(simulation), shard_(simulation.shard(shard)) {}

std::size_t SimulatedServer::workers() const {
  return simulation_.workers();
}

double SimulatedServer::clock() const {
  return simulation_.clock();
}

RandomStream& SimulatedServer::random(const std::string& name) {
  constexpr std::uint32_t servers = 0xffffffffU;  // in the place of a worker's rank
  const std::uint64_t seed = simulation_.setup().scenario.seed;
  return streams_.try_emplace(name, seed, name, servers).first->second;
}

Model SimulatedServer::initial_model() const {
  Model x;
  static_cast<Parameters&>(x) =
      simulation_.initial_model().slice(shard_.shard.begin, shard_.shard.size);
  return x;
}

// ---- Waiting ----

Parcel* SimulatedServer::next(double until, const char* waits_for) {
  shard_.waits_for = waits_for;
  const bool there = shard_.arrival.wait(until, [this] { return !shard_.inbox.empty(); });
  shard_.waits_for = "nothing";
  return there ? &shard_.inbox.take() : nullptr;
}

std::optional<Event> SimulatedServer::next_event(double until) {
  Parcel* parcel = next(until, "a push, or a worker to leave or join");
  if (parcel == nullptr) return std::nullopt;
  return simulation_.parcels().take_event(*parcel);
}

std::optional<Push> SimulatedServer::next_push_before(double until) {
  for (;;) {
    Parcel* parcel = next(until, "a push from any worker");
    if (parcel == nullptr) return std::nullopt;
    const bool is_push = parcel->event.kind == Event::Kind::message;
    Push push = simulation_.parcels().take_push(*parcel);
    if (is_push) return push;
  }
}

std::vector<Push> SimulatedServer::next_push_of(std::span<const std::size_t> wanted) {
  early_.resize(workers());
  std::vector<bool> is_missing(workers(), false);
  std::size_t missing = 0;
  for (const std::size_t worker : wanted) {
    is_missing[worker] = early_[worker].empty();
    if (is_missing[worker]) ++missing;
  }
  while (missing > 0) {
    Push push = next_push();
    const std::size_t worker = push.sender;
    if (is_missing[worker]) --missing;
    is_missing[worker] = false;
    early_[worker].push_back(std::move(push));
  }
  std::vector<Push> pushes;
  pushes.reserve(wanted.size());
  for (const std::size_t worker : wanted) {
    pushes.push_back(std::move(early_[worker].front()));
    early_[worker].pop_front();
  }
  return pushes;
}

// ---- Sending ----

void SimulatedServer::send_model(std::size_t worker, const Model& x) {
  Parcel& parcel = simulation_.parcels().make();
  parcel.to = worker;
  parcel.shard = shard_.index;
  parcel.model = x;
  simulation_.network().send(
      simulation_.server_node(shard_.shard.server), worker,
      shard_.shard.bytes * (1 + x.more.size()),
      [simulation = &simulation_, &parcel] { simulation->model_arrived(parcel); });
}

void SimulatedServer::send(std::size_t worker, Message message) {
  const std::size_t node = simulation_.server_node(shard_.shard.server);
  message.sender = node;
  const std::uint64_t bytes = wire_bytes(message, shard_.shard.bytes, shard_.shard.size);
  simulation_.send(node, worker, bytes, std::move(message));
}

// ---- Updating ----

void SimulatedServer::step(UpdateRule& rule, Model& x, const Parameters& g, float scale) const {
  rule.step(x, g, simulation_.pool(), scale);
}

Parameters SimulatedServer::weighted_sum(std::span<const Push> pushes,
                                         std::span<const float> weights) const {
  std::vector<const Parameters*> vectors;
  for (const Push& push : pushes) vectors.push_back(&push.vector);
  return motley::weighted_sum(vectors, weights, simulation_.pool());
}

std::uint64_t SimulatedServer::staleness(const Push& push) const {
  return shard_.updates - push.version;
}

void SimulatedServer::spend(double flops) {
  const HostPlan& host = simulation_.setup().cluster.servers[shard_.shard.server];
  if (!host.changes) {
    simgrid::s4u::this_actor::execute(flops);
    return;
  }
  if (!shard_.work) {
    // Several parts of the model on one server share it, so SimGrid is asked.
    shard_.work = std::make_unique<HostWork>(
        simulation_.agenda(), simulation_.server_host(shard_.shard.server), std::nullopt,
        std::make_unique<SpeedCurve>(*host.changes, simulation_.setup().scenario.seed));
  }
  shard_.work->start(flops);
  while (!shard_.work->wait()) {
  }
  shard_.work->stop();
}

void SimulatedServer::finish_update(Model& x, std::span<const Push> used) {
  for (const Push& push : used) {
    simulation_.recorder().worker(push.sender).count_staleness(staleness(push));
  }
  const double start = clock();
  if (shard_.shard.update_flops > 0) {
    Expenses& expenses = simulation_.recorder().expenses();
    expenses.server_starts(start, shard_.shard.server);
    spend(shard_.shard.update_flops);
    expenses.server_stops(clock(), shard_.shard.server);
  }
  if (Timeline* timeline = simulation_.recorder().timeline()) {
    std::vector<Timeline::MessageId> messages;
    for (const Push& push : used) messages.push_back(push.traced);
    timeline->updated(simulation_.server_node(shard_.shard.server), start, clock(), messages);
  }
  simulation_.finish_shard_update(shard_, x);
}

void SimulatedServer::discard(const Push& push) {
  simulation_.recorder()
      .worker(push.sender)
      .discard(push.compute_s * simulation_.share_of_model(shard_));
}

void SimulatedServer::record_decision(std::size_t worker, const char* quantity, double value) {
  if (shard_.index == 0) simulation_.recorder().decided(clock(), worker, quantity, value);
}

}  // namespace motley
