#include "sim/live/live_server.hpp"

#include <algorithm>
#include <numeric>

#include "sim/engine/model/pushes.hpp"
#include "sim/engine/network/wire_bytes.hpp"

namespace motley {

LiveServer::LiveServer(LiveContext& context, std::size_t shard)
    : context_(context), index_(shard), shard_(context.shards()[shard]) {
  Post& post = context.post();
  post.on(PacketKind::push, [this](const Packet& packet) {
    ByteReader content = packet.content();
    Event event;
    event.message = take_push(content);
    event.message.traced = static_cast<std::uint32_t>(context_.post().received());
    context_.post().arrival_brings(version_of(event.message));
    event.worker = packet.from;
    events_.push_back(std::move(event));
  });
  post.on(PacketKind::left, [this](const Packet& packet) {
    events_.push_back({Event::Kind::left, {}, packet.from});
  });
}

RandomStream& LiveServer::random(const std::string& name) {
  return streams_.get(name, context_.setup().scenario.seed, NamedStreams::servers);
}

Model LiveServer::initial_model() const {
  Model x;
  static_cast<Parameters&>(x) = context_.initial_model().slice(shard_.begin, shard_.size);
  return x;
}

std::vector<std::size_t> LiveServer::present() {
  std::vector<std::size_t> all(workers());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// ---- Waiting ----

std::optional<Event> LiveServer::next(double until, const char* waits_for) {
  Post& post = context_.post();
  post.set_waits_for(waits_for);
  const bool there = post.wait(until, [this] { return !events_.empty(); });
  post.set_waits_for("nothing");
  if (!there) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  if (event.kind == Event::Kind::left) left_.insert(event.worker);
  return event;
}

std::optional<Event> LiveServer::next_event(double until) {
  return next(until, "a push, or a worker to leave or join");
}

std::optional<Push> LiveServer::next_push_before(double until) {
  for (;;) {
    std::optional<Event> event = next(until, "a push from any worker");
    if (!event) return std::nullopt;
    if (event->kind == Event::Kind::message) return std::move(event->message);
  }
}

std::vector<Push> LiveServer::next_push_of(std::span<const std::size_t> wanted) {
  const auto is_missing = [&](std::size_t worker) {
    return !early_.contains(worker) && !left_.contains(worker);
  };
  while (std::ranges::any_of(wanted, is_missing)) {
    std::optional<Event> event = next(forever, "a push from any worker");
    if (event->kind == Event::Kind::message) {
      early_[event->worker].push_back(std::move(event->message));
    }
  }
  std::vector<Push> pushes;
  for (const std::size_t worker : wanted) {
    const auto early = early_.find(worker);
    if (early == early_.end()) continue;  // who has left has no more
    pushes.push_back(std::move(early->second.front()));
    early->second.pop_front();
    if (early->second.empty()) early_.erase(early);
  }
  return pushes;
}

// ---- Sending ----

void LiveServer::send_model(std::size_t worker, const Model& x) {
  ByteWriter content;
  content.put<std::uint64_t>(index_);
  put_model(content, x);
  context_.post().send(worker, PacketKind::model, content, shard_.bytes * (1 + x.more.size()));
}

void LiveServer::send(std::size_t worker, Message message) {
  message.sender = context_.post().rank();
  ByteWriter content;
  put_message(content, message);
  context_.post().send(worker, PacketKind::message, content,
                       wire_bytes(message, shard_.bytes, shard_.size));
}

// ---- Updating ----

void LiveServer::step(UpdateRule& rule, Model& x, const Parameters& g, float scale) const {
  rule.step(x, g, context_.pool(), scale);
}

Parameters LiveServer::weighted_sum(std::span<const Push> pushes,
                                    std::span<const float> weights) const {
  std::vector<const Parameters*> vectors;
  for (const Push& push : pushes) vectors.push_back(&push.vector);
  return motley::weighted_sum(vectors, weights, context_.pool());
}

void LiveServer::finish_update(Model& x, std::span<const Push> used) {
  std::vector<std::uint32_t> messages;
  double stale = 0;
  for (const Push& push : used) {
    LogEntry entry;
    entry.kind = LogEntry::Kind::staleness;
    entry.time_s = clock();
    entry.who = push.sender;
    entry.count = staleness(push);
    entry.number = push.traced;
    context_.note(std::move(entry));
    messages.push_back(push.traced);
    stale += static_cast<double>(staleness(push)) / static_cast<double>(used.size());
    samples_ += push.samples;
  }
  const double begin_s = clock();
  if (context_.emulate() && shard_.update_flops > 0) {
    const HostPlan& host = context_.setup().cluster.servers[shard_.server];
    const double seconds = shard_.update_flops / host.speed_flops;
    if (host.changes && !curve_) {
      curve_ = std::make_unique<SpeedCurve>(*host.changes, context_.setup().scenario.seed);
    }
    context_.post().wait(curve_ ? curve_->end_of(begin_s, seconds) : begin_s + seconds,
                         [] { return false; });
  }
  x.version = context_.updates() + 1;
  x.shard_versions = nullptr;
  context_.update_finished(x, {begin_s, std::move(messages), stale, samples_});
}

void LiveServer::discard(const Push& push) {
  LogEntry entry;
  entry.kind = LogEntry::Kind::discards;
  entry.time_s = clock();
  entry.who = push.sender;
  entry.value = push.compute_s * static_cast<double>(shard_.size) /
                static_cast<double>(context_.initial_model().size());
  context_.note(std::move(entry));
}

void LiveServer::record_decision(std::size_t worker, const char* quantity, double value) {
  if (index_ != 0) return;
  LogEntry entry;
  entry.kind = LogEntry::Kind::decision;
  entry.time_s = clock();
  entry.who = worker;
  entry.text = quantity;
  entry.value = value;
  context_.note(std::move(entry));
}

}  // namespace motley
