#include "sim/engine/worker_mail.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/engine/model/whole_model.hpp"
#include "sim/engine/network/wire_bytes.hpp"
#include "sim/engine/world.hpp"

namespace motley {

WorkerMail::WorkerMail(World& world, std::size_t rank)
    : world_(world),
      rank_(rank),
      arrival_(world.agenda),
      compress_random_(world.setup.scenario.seed, "compress", static_cast<std::uint32_t>(rank)) {}

void WorkerMail::expect(std::size_t shards, const CompressSpec& compress) {
  models_.resize(shards);
  server_lives_.resize(shards, 0);
  pushes_under_way_.resize(shards, 0);
  compress_ = compress;
  if (compress.kind != CompressSpec::Kind::none) compressors_.assign(shards, Compressor(compress));
}

void WorkerMail::lose_everything() {
  for (Inbox& models : models_) models.throw_away_all(world_.post.parcels());
  events_.throw_away_all(world_.post.parcels());
  std::ranges::fill(pushes_under_way_, 0U);
  held_.clear();
  served_.clear();
  failures_known_.clear();
  for (Compressor& compressor : compressors_) compressor = Compressor(compress_);
  for (std::size_t shard = 0; shard < server_lives_.size(); ++shard) {
    server_lives_[shard] = world_.layout.shard(shard).life;
  }
  world_.post.departures().unwatch(rank_);
  departures_seen_ = world_.post.departures().all().size();
  waits_for_ = "nothing";
}

// ---- Arrivals ----

void WorkerMail::model_arrived(Parcel& parcel) {
  const Shard& shard = world_.layout.shard(parcel.shard).shard;
  models_[parcel.shard].put(world_.clock(), world_.platform.server_node(shard.server), parcel);
  if (auto held = held_.extract(parcel.shard)) {
    server_lives_[parcel.shard] = parcel.server_life;
    send_to_server(parcel.shard, std::move(held.mapped().part), held.mapped().exactly);
  }
  arrived_();
  arrival_.look();
}

void WorkerMail::message_arrived(Parcel& parcel) {
  const auto handler = served_.find(parcel.event.message.kind);
  if (handler != served_.end()) {
    const Message message = world_.post.parcels().take_message(parcel);
    handler->second(message);
    return;
  }
  events_.put(world_.clock(), parcel.event.worker, parcel);
  arrived_();
  arrival_.look();
}

// ---- Models ----

bool WorkerMail::has_news() const {
  return std::ranges::any_of(models_, [](const Inbox& inbox) { return !inbox.empty(); });
}

Model WorkerMail::take(std::size_t shard) {
  waits_for_ = "a model from the server";
  arrival_.wait(forever, [this, shard] { return !models_[shard].empty(); });
  waits_for_ = "nothing";
  Parcel& parcel = models_[shard].take();
  server_lives_[shard] = parcel.server_life;
  return world_.post.parcels().take_model(parcel);
}

Model WorkerMail::pull() {
  if (models_.size() == 1) return take(0);
  return whole_model(
      world_.layout.initial().size(), models_.size(),
      [this](std::size_t shard) { return take(shard); },
      [this](std::size_t shard) { return world_.layout.shard(shard).shard.begin; });
}

// ---- Pushes ----

void WorkerMail::send_to_server(std::size_t shard, Push&& push, bool exactly) {
  const Shard& to = world_.layout.shard(shard).shard;
  push.sender = rank_;
  const bool is_compressed = !compressors_.empty() && push.kind == "gradient";
  if (is_compressed && exactly) compressors_[shard].send_all(push.vector);
  if (is_compressed && !exactly) {
    push.encoding = compressors_[shard].compress(push.vector, compress_random_);
  }
  const std::uint64_t bytes = push_bytes(push, to, world_.setup.scenario.cost);
  Parcel& parcel = world_.post.parcels().make();
  parcel.shard = shard;
  parcel.event.kind = Event::Kind::message;
  parcel.event.worker = rank_;
  parcel.event.message = std::move(push);
  parcel.server_life = server_lives_[shard];
  ++pushes_under_way_[shard];  // before: it may arrive at once
  const bool departs = world_.post.send_push(parcel, world_.platform.server_node(to.server), bytes);
  if (!departs) --pushes_under_way_[shard];
}

void WorkerMail::wait_for_pushes() {
  waits_for_ = "its pushes to arrive";
  arrival_.wait(forever, [this] {
    return std::ranges::all_of(pushes_under_way_, [](std::uint32_t count) { return count == 0; });
  });
  waits_for_ = "nothing";
}

void WorkerMail::push_has_arrived(std::size_t shard) {
  --pushes_under_way_[shard];
  arrival_.look();
}

void WorkerMail::pushes_are_lost(std::size_t shard) {
  pushes_under_way_[shard] = 0;
  arrival_.look();
}

Push WorkerMail::part_of(std::size_t shard, const Push& whole, std::uint64_t version) const {
  const Shard& of = world_.layout.shard(shard).shard;
  Push part = whole;
  part.version = version;
  if (!part.vector.empty()) part.vector = part.vector.slice(of.begin, of.size);
  for (Parameters& vector : part.more) vector = vector.slice(of.begin, of.size);
  return part;
}

void WorkerMail::push_part(std::size_t shard, const Push& whole, std::uint64_t version,
                           bool exactly) {
  send_to_server(shard, part_of(shard, whole, version), exactly);
}

void WorkerMail::push_part_with_next_model(std::size_t shard, const Push& whole,
                                           std::uint64_t version, bool exactly) {
  if (models_[shard].empty()) {
    held_[shard] = {part_of(shard, whole, version), exactly};
    return;
  }
  server_lives_[shard] = models_[shard].front().server_life;
  send_to_server(shard, part_of(shard, whole, version), exactly);
}

double WorkerMail::encode_flops() const {
  if (!compress_.encode_flops || compressors_.empty()) return 0;
  const std::uint64_t entries = world_.setup.message_bytes / sizeof(float);
  return *compress_.encode_flops * static_cast<double>(entries);
}

void WorkerMail::push(Push&& push, const ShardVersions& versions, bool exactly) {
  if (models_.size() == 1) {
    send_to_server(0, std::move(push), exactly);
    return;
  }
  for (std::size_t shard = 0; shard < models_.size(); ++shard) {
    push_part(shard, push, versions ? (*versions)[shard] : push.version, exactly);
  }
}

// ---- Messages ----

namespace {

/// Not a message of a group's own, which only the group takes.
bool is_for_body(const Event& event) {
  return event.kind != Event::Kind::message || Wanted{}.matches(event.message);
}

}  // namespace

void WorkerMail::send(std::size_t to, Message&& message) {
  if (to >= world_.workers() || to == rank_) {
    throw std::logic_error("a message must go to another worker");
  }
  message.sender = rank_;
  if (world_.failures.any()) {
    failures_known_[to] = world_.failures.noticed_failures(to);
  }
  const std::uint64_t bytes =
      wire_bytes(message, world_.setup.message_bytes, world_.setup.problem.dimension());
  world_.post.send_message(rank_, to, bytes, std::move(message));
}

std::optional<Message> WorkerMail::received(const Wanted& wanted) {
  Parcel* parcel = events_.take_if(
      [&](const Event& e) { return e.kind == Event::Kind::message && wanted.matches(e.message); });
  if (parcel == nullptr) return std::nullopt;
  return world_.post.parcels().take_message(*parcel);
}

Message WorkerMail::receive(const Wanted& wanted) {
  waits_for_ = "a message";
  arrival_.wait(forever, [&] {
    return events_.has([&](const Event& e) {
      return e.kind == Event::Kind::message && wanted.matches(e.message);
    });
  });
  waits_for_ = "nothing";
  return *received(wanted);
}

std::optional<Message> WorkerMail::receive_answer(const Wanted& wanted) {
  const MachineFailures& failures = world_.failures;
  const std::size_t sender = *wanted.sender;
  const auto is_there = [&] {
    return events_.has([&](const Event& e) {
      return e.kind == Event::Kind::message && wanted.matches(e.message);
    });
  };
  waits_for_ = "a message";
  arrival_.wait(forever, [&] {
    return is_there() || !failures.is_present(sender) ||
           failures.noticed_failures(sender) != failures_known_[sender];
  });
  waits_for_ = "nothing";
  return received(wanted);
}

bool WorkerMail::has(const std::string& kind) const {
  return events_.has(
      [&](const Event& e) { return e.kind == Event::Kind::message && e.message.kind == kind; });
}

void WorkerMail::serve(const std::string& kind, std::function<void(const Message&)> handler) {
  served_[kind] = world_.ending.guarded(std::move(handler));
  while (std::optional<Message> message = received({{}, kind})) served_[kind](*message);
}

std::optional<Event> WorkerMail::next_event(double until) {
  const std::vector<Departure>& departures = world_.post.departures().all();
  for (;;) {
    waits_for_ = "a message, or a worker to leave or join";
    world_.post.departures().watch(rank_, [this] { arrival_.look(); });
    const bool there = arrival_.wait(until, [this, &departures] {
      return events_.has(is_for_body) || departures_seen_ < departures.size();
    });
    world_.post.departures().unwatch(rank_);
    waits_for_ = "nothing";
    if (!there) return std::nullopt;
    for (; departures_seen_ < departures.size(); ++departures_seen_) {
      const auto [time, worker, kind] = departures[departures_seen_];
      if (worker != rank_) events_.put(time, worker, world_.post.parcel_of(kind, worker));
    }
    // There is none when it was this worker's own return that was told.
    Parcel* parcel = events_.take_if(is_for_body);
    if (parcel != nullptr) return world_.post.parcels().take_event(*parcel);
  }
}

}  // namespace motley
