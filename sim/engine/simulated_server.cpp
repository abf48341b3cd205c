#include "sim/engine/simulated_server.hpp"

#include <algorithm>

#include "sim/engine/network/wire_bytes.hpp"
#include "sim/engine/world.hpp"

namespace motley {

SimulatedServer::SimulatedServer(World& world, ShardState& shard) : world_(world), shard_(shard) {
  const MachineFailures& failures = world.failures;
  for (std::size_t i = 0; failures.any() && i < workers(); ++i) {
    known_.push_back({failures.is_present(i), failures.noticed_failures(i)});
    if (known_.back().present) ++known_present_;
  }
}

std::size_t SimulatedServer::workers() const {
  return world_.workers();
}

double SimulatedServer::clock() const {
  return world_.clock();
}

RandomStream& SimulatedServer::random(const std::string& name) {
  return streams_.get(name, world_.setup.scenario.seed, NamedStreams::servers);
}

Model SimulatedServer::initial_model() const {
  if (is_resumed()) return shard_.model;
  Model x;
  static_cast<Parameters&>(x) =
      world_.layout.initial().slice(shard_.shard.begin, shard_.shard.size);
  return x;
}

// ---- Failures ----

void SimulatedServer::learn(const Event& event) {
  if (known_.empty() || event.kind == Event::Kind::message) return;
  Known& known = known_[event.worker];
  const bool joins = event.kind == Event::Kind::joined;
  if (joins != known.present) known_present_ += joins ? 1 : std::size_t(-1);
  known.present = joins;
  known.failures = event.message.version;  // see PostOffice::parcel_of
}

bool SimulatedServer::is_awaited(std::size_t worker) const {
  return known_.empty() || known_[worker].present || !world_.failures.drops();
}

bool SimulatedServer::drops() const {
  return world_.failures.drops();
}

std::size_t SimulatedServer::count_present() const {
  if (known_.empty() || !drops()) return workers();
  return std::max<std::size_t>(1, known_present_);
}

bool SimulatedServer::reaches(std::size_t worker) const {
  return known_.empty() || known_[worker].failures == world_.failures.failures(worker);
}

void SimulatedServer::welcome(std::size_t worker) {
  if (welcome_)
    welcome_(worker);
  else
    send_model(worker, shard_.updates > shard_.updates_before || !sent_ ? shard_.model : *sent_);
}

void SimulatedServer::drop_early_of(std::size_t worker) {
  const auto early = early_.find(worker);
  if (world_.layout.shards().size() == 1 || early == early_.end()) return;
  for (const Push& push : early->second) discard(push);
  early_.erase(early);
}

std::vector<std::size_t> SimulatedServer::present() {
  for (;;) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < workers(); ++i) {
      if (is_awaited(i)) found.push_back(i);
    }
    if (!found.empty()) return found;
    const Event event = world_.post.parcels().take_event(*next(forever, "a worker to join"));
    learn(event);
    if (event.kind == Event::Kind::message) early_[event.worker].push_back(event.message);
    if (event.kind == Event::Kind::joined) drop_early_of(event.worker);
  }
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
  Event event = world_.post.parcels().take_event(*parcel);
  learn(event);
  if (event.kind == Event::Kind::joined) welcome(event.worker);
  return event;
}

std::optional<Push> SimulatedServer::next_push_before(double until) {
  for (;;) {
    Parcel* parcel = next(until, "a push from any worker");
    if (parcel == nullptr) return std::nullopt;
    if (parcel->event.kind == Event::Kind::message) return world_.post.parcels().take_push(*parcel);
    const Event event = world_.post.parcels().take_event(*parcel);
    learn(event);
    if (event.kind == Event::Kind::joined) welcome(event.worker);
  }
}

std::vector<Push> SimulatedServer::next_push_of(std::span<const std::size_t> wanted) {
  std::vector<bool> is_wanted(workers(), false);
  std::vector<bool> is_missing(workers(), false);
  std::size_t missing = 0;
  const auto set_missing = [&](std::size_t worker, bool is) {
    if (is != is_missing[worker]) missing += is ? 1 : std::size_t(-1);
    is_missing[worker] = is;
  };
  for (const std::size_t worker : wanted) {
    is_wanted[worker] = true;
    set_missing(worker, !early_.contains(worker) && is_awaited(worker));
  }
  const auto has_none = [&] {
    return std::ranges::all_of(wanted,
                               [&](std::size_t worker) { return !early_.contains(worker); });
  };
  while (missing > 0 || (is_alone() && has_none())) {
    Event event = world_.post.parcels().take_event(*next(forever, "a push from any worker"));
    const std::size_t worker = event.worker;
    learn(event);
    if (event.kind == Event::Kind::message) {
      early_[worker].push_back(std::move(event.message));
      set_missing(worker, false);
    } else {
      const bool joins = event.kind == Event::Kind::joined;
      if (joins) drop_early_of(worker);
      set_missing(worker, is_wanted[worker] && !early_.contains(worker) && is_awaited(worker));
      if (!joins || !is_missing[worker]) continue;
      if (welcome_)
        welcome_(worker);
      else
        send_model(worker, sent_ ? *sent_ : shard_.model);
    }
  }
  std::vector<Push> pushes;
  pushes.reserve(wanted.size());
  for (const std::size_t worker : wanted) {
    const auto early = early_.find(worker);
    if (early == early_.end()) continue;
    pushes.push_back(std::move(early->second.front()));
    early->second.pop_front();
    if (early->second.empty()) early_.erase(early);
  }
  return pushes;
}

// ---- Sending ----

void SimulatedServer::send_model(std::size_t worker, const Model& x) {
  if (!known_.empty()) sent_ = x;
  if (!reaches(worker)) return;
  Parcel& parcel = world_.post.parcels().make();
  parcel.to = worker;
  parcel.shard = shard_.index;
  parcel.model = x;
  parcel.server_life = shard_.life;
  world_.post.send_model(parcel, world_.server_node(shard_),
                         shard_.shard.bytes * (1 + x.more.size()));
}

void SimulatedServer::send(std::size_t worker, Message message) {
  if (!reaches(worker)) return;
  const std::size_t node = world_.server_node(shard_);
  message.sender = node;
  const std::uint64_t bytes = wire_bytes(message, shard_.shard.bytes, shard_.shard.size);
  world_.post.send_message(node, worker, bytes, std::move(message));
}

// ---- Updating ----

void SimulatedServer::step(UpdateRule& rule, Model& x, const Parameters& g, float scale) const {
  if (is_resumed() && !has_skipped_) rule.skip(shard_.updates_before);  // the schedule goes on
  has_skipped_ = true;
  rule.step(x, g, world_.pool, scale);
}

Parameters SimulatedServer::weighted_sum(std::span<const Push> pushes,
                                         std::span<const float> weights) const {
  std::vector<const Parameters*> vectors;
  for (const Push& push : pushes) vectors.push_back(&push.vector);
  return motley::weighted_sum(vectors, weights, world_.pool);
}

std::uint64_t SimulatedServer::staleness(const Push& push) const {
  return shard_.updates - push.version;
}

void SimulatedServer::spend(double flops) {
  const HostPlan& host = world_.setup.cluster.servers[shard_.shard.server];
  if (!host.changes) {
    simgrid::s4u::this_actor::execute(flops);
    return;
  }
  if (!shard_.work) {
    // Several parts of the model on one server share it, so SimGrid is asked.
    shard_.work = std::make_unique<HostWork>(
        world_.agenda, world_.platform.host(world_.server_node(shard_)), std::nullopt,
        std::make_unique<SpeedCurve>(*host.changes, world_.setup.scenario.seed));
  }
  shard_.work->start(flops);
  while (!shard_.work->wait()) {
  }
  shard_.work->stop();
}

void SimulatedServer::finish_update(Model& x, std::span<const Push> used) {
  for (const Push& push : used) {
    world_.recorder.worker(push.sender).count_staleness(staleness(push));
  }
  const double start = clock();
  if (shard_.shard.update_flops > 0) {
    Expenses& expenses = world_.recorder.expenses();
    struct Stop {  // also when the machine fails
      SimulatedServer& server;
      Expenses& expenses;
      ~Stop() { expenses.server_stops(server.clock(), server.shard_.shard.server); }
    };
    expenses.server_starts(start, shard_.shard.server);
    const Stop guard{*this, expenses};
    spend(shard_.shard.update_flops);
  }
  if (Timeline* timeline = world_.recorder.timeline()) {
    std::vector<Timeline::MessageId> messages;
    double staleness_sum = 0;
    for (const Push& push : used) {
      messages.push_back(push.traced);
      timeline->was_stale(push.traced, staleness(push));
      staleness_sum += static_cast<double>(staleness(push));
    }
    timeline->updated(world_.server_node(shard_), start, clock(), messages,
                      messages.empty() ? -1 : staleness_sum / static_cast<double>(messages.size()));
  }
  world_.updates.finish_shard(shard_, x);
}

void SimulatedServer::discard(const Push& push) {
  world_.recorder.worker(push.sender).discard(push.compute_s * world_.layout.share_of(shard_));
}

void SimulatedServer::record_decision(std::size_t worker, const char* quantity, double value) {
  if (shard_.index == 0) world_.recorder.decided(clock(), worker, quantity, value);
}

}  // namespace motley
