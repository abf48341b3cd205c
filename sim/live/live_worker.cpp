#include "sim/live/live_worker.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/engine/model/pushes.hpp"
#include "sim/engine/model/whole_model.hpp"
#include "sim/engine/network/wire_bytes.hpp"

namespace motley {

LiveWorker::LiveWorker(LiveContext& context)
    : context_(context),
      rank_(context.post().rank()),
      samples_(context.setup().partition, context.setup().order, context.setup().scenario.seed,
               rank_, context.setup().augment),
      computation_(context, rank_, samples_,
                   [this](const Until& until) { return is_given_up(until); }),
      groups_(*this, context),
      models_(context.shards().size()),
      compress_random_(context.setup().scenario.seed, "compress",
                       static_cast<std::uint32_t>(rank_)) {
  const CompressSpec& compress = context.exchange().compress;
  if (compress.kind != CompressSpec::Kind::none) {
    compressors_.assign(context.shards().size(), Compressor(compress));
  }
  Post& post = context.post();
  post.on(PacketKind::model, [this](const Packet& packet) { model_arrived(packet); });
  post.on(PacketKind::message, [this](const Packet& packet) { message_arrived(packet); });
  post.on(PacketKind::left, [this](const Packet& packet) { worker_left(packet); });
}

RandomStream& LiveWorker::random(const std::string& name) {
  return streams_.get(name, context_.setup().scenario.seed, static_cast<std::uint32_t>(rank_));
}

// ---- What comes ----

void LiveWorker::model_arrived(const Packet& packet) {
  ByteReader content = packet.content();
  const auto shard = content.take<std::uint64_t>();
  models_[shard].push_back(take_model(content));
  context_.post().arrival_brings(models_[shard].back().version);
}

void LiveWorker::message_arrived(const Packet& packet) {
  ByteReader content = packet.content();
  Event event;
  take_message(content, event.message);
  event.worker = packet.from;
  const auto handler = served_.find(event.message.kind);
  if (handler != served_.end())
    handler->second(event.message);
  else
    events_.push_back(std::move(event));
}

void LiveWorker::worker_left(const Packet& packet) {
  events_.push_back({Event::Kind::left, {}, packet.from});
}

bool LiveWorker::is_given_up(const Until& until) const {
  if (clock() >= until.deadline) return true;
  if (until.newer_model &&
      std::ranges::any_of(models_, [](const auto& models) { return !models.empty(); })) {
    return true;
  }
  return !until.told.empty() && has({{}, until.told});
}

// ---- Computing ----

void LiveWorker::step(UpdateRule& rule, Model& x, const Parameters& g) {
  rule.step(x, g, context_.pool());
}

void LiveWorker::draw_from_share(std::span<const double> shares) {
  samples_.draw_from(context_.partitions().by(shares));
}

void LiveWorker::answer_with_gradient(std::size_t n) {
  push(*gradient(pull(), n, Until{}), true);
}

Gradient LiveWorker::averaged_gradient(const Model& x, std::size_t n, double weight) {
  const std::vector<GradientBucket>& buckets = context_.gradient_buckets();
  LiveGroup& all = groups_.everybody();
  if (buckets.size() <= 1) {
    Gradient g = *gradient(x, n, Until{});
    all.all_reduce_mean(g, weight, {});
    return g;
  }
  all.start_buckets(buckets);
  Gradient g = computation_.gradient_by_buckets(
      x, n, buckets, [&](const Parameters& whole) { all.bucket_is_ready(whole, weight); });
  static_cast<Parameters&>(g) = all.wait_for_buckets();
  return g;
}

// ---- With the server ----

void LiveWorker::send_to_server(std::size_t shard, Push&& push, bool exactly) {
  const Shard& to = context_.shards()[shard];
  push.sender = rank_;
  const bool is_compressed = !compressors_.empty() && push.kind == "gradient";
  if (is_compressed && exactly) compressors_[shard].send_all(push.vector);
  if (is_compressed && !exactly) {
    push.encoding = compressors_[shard].compress(push.vector, compress_random_);
  }
  ByteWriter content;
  put_push(content, push);
  context_.post().send(context_.node_of(to), PacketKind::push, content,
                       push_bytes(push, to, context_.setup().scenario.cost));
}

void LiveWorker::push(Push&& push, const ShardVersions& versions, bool exactly) {
  if (models_.size() == 1) {
    send_to_server(0, std::move(push), exactly);
    return;
  }
  for (std::size_t shard = 0; shard < models_.size(); ++shard) {
    const Shard& of = context_.shards()[shard];
    Push part = push;
    if (versions) part.version = (*versions)[shard];
    if (!part.vector.empty()) part.vector = part.vector.slice(of.begin, of.size);
    for (Parameters& vector : part.more) vector = vector.slice(of.begin, of.size);
    send_to_server(shard, std::move(part), exactly);
  }
}

void LiveWorker::push(Gradient g, bool wants_model) {
  const std::optional<double>& encode = context_.exchange().compress.encode_flops;
  if (encode && !compressors_.empty()) {
    const std::uint64_t entries = context_.setup().message_bytes / sizeof(float);
    computation_.encode(*encode * static_cast<double>(entries));
  }
  const ShardVersions versions = std::move(g.shard_versions);
  push(push_of_gradient(std::move(g), data_samples(), wants_model), versions, false);
}

void LiveWorker::push_exactly(Gradient g, bool wants_model) {
  const ShardVersions versions = std::move(g.shard_versions);
  push(push_of_gradient(std::move(g), data_samples(), wants_model), versions, true);
}

void LiveWorker::push(const char* kind, Parameters vector, const Trained& y,
                      std::vector<Parameters> more, bool wants_model) {
  push(push_of_trained(kind, std::move(vector), y, std::move(more), data_samples(), wants_model),
       y.shard_versions, false);
}

void LiveWorker::push_model(const Trained& y, std::vector<Parameters> more, bool wants_model) {
  push("model", y, y, std::move(more), wants_model);
}

void LiveWorker::push_update(Parameters difference, const Trained& y, std::vector<Parameters> more,
                             bool wants_model) {
  push("update", std::move(difference), y, std::move(more), wants_model);
}

void LiveWorker::request_model() {
  push(push_of_request(), nullptr, false);
}

void LiveWorker::tell(double number) {
  push(push_of_number(number), nullptr, false);
}

Model LiveWorker::take(std::size_t shard) {
  Post& post = context_.post();
  post.set_waits_for("a model from the server");
  post.wait(forever, [&] { return !models_[shard].empty(); });
  post.set_waits_for("nothing");
  Model model = std::move(models_[shard].front());
  models_[shard].pop_front();
  return model;
}

Model LiveWorker::pull() {
  if (models_.size() == 1) return take(0);
  return whole_model(
      context_.initial_model().size(), models_.size(),
      [this](std::size_t shard) { return take(shard); },
      [this](std::size_t shard) { return context_.shards()[shard].begin; });
}

Model LiveWorker::pull_newest() {
  Model x = pull();
  while (has_model()) x = pull();
  return x;
}

std::optional<Model> LiveWorker::newer_model() {
  context_.post().wait(clock(), [] { return false; });  // takes in what is there
  if (!has_model()) return std::nullopt;
  return pull_newest();
}

void LiveWorker::wait_for_pushes() {
  context_.post().set_waits_for("pushes to arrive");
  for (const Shard& shard : context_.shards()) {
    context_.post().wait_until_arrived(context_.node_of(shard));
  }
  context_.post().set_waits_for("nothing");
}

// ---- With other workers ----

void LiveWorker::send(std::size_t to, Message message) {
  if (to >= workers() || to == rank_) {
    throw std::logic_error("a message must go to another worker");
  }
  message.sender = rank_;
  ByteWriter content;
  put_message(content, message);
  context_.post().send(
      to, PacketKind::message, content,
      wire_bytes(message, context_.setup().message_bytes, context_.setup().problem.dimension()));
}

bool LiveWorker::has(const Wanted& wanted) const {
  return std::ranges::any_of(events_, [&](const Event& event) {
    return event.kind == Event::Kind::message && wanted.matches(event.message);
  });
}

std::optional<Message> LiveWorker::received(const Wanted& wanted) {
  context_.post().wait(clock(), [] { return false; });  // takes in what is there
  const auto found = std::ranges::find_if(events_, [&](const Event& event) {
    return event.kind == Event::Kind::message && wanted.matches(event.message);
  });
  if (found == events_.end()) return std::nullopt;
  Message message = std::move(found->message);
  events_.erase(found);
  return message;
}

Message LiveWorker::receive(const Wanted& wanted) {
  Post& post = context_.post();
  post.set_waits_for("a message");
  post.wait(forever, [&] { return has(wanted); });
  post.set_waits_for("nothing");
  return *received(wanted);
}

void LiveWorker::serve(const std::string& kind, std::function<void(const Message&)> handler) {
  served_[kind] = std::move(handler);
  while (std::optional<Message> message = received({{}, kind})) served_[kind](*message);
}

std::optional<Event> LiveWorker::next_event(double until) {
  const auto is_for_body = [](const Event& event) {
    return event.kind != Event::Kind::message || Wanted{}.matches(event.message);
  };
  Post& post = context_.post();
  post.set_waits_for("a message, or a worker to leave or join");
  const bool there = post.wait(until, [&] { return std::ranges::any_of(events_, is_for_body); });
  post.set_waits_for("nothing");
  if (!there) return std::nullopt;
  const auto found = std::ranges::find_if(events_, is_for_body);
  Event event = std::move(*found);
  events_.erase(found);
  return event;
}

// ---- The global model ----

void LiveWorker::finish_update(Model& x) {
  x.version = context_.updates() + 1;
  context_.update_finished(x, {.begin_s = clock(), .samples = context_.samples() * workers()});
}

void LiveWorker::finish_own_update(const Model& x, std::uint64_t steps) {
  context_.own_update_finished(x, steps);
}

void LiveWorker::record_decision(const char* quantity, double value) {
  LogEntry entry;
  entry.kind = LogEntry::Kind::decision;
  entry.time_s = clock();
  entry.who = rank_;
  entry.text = quantity;
  entry.value = value;
  context_.note(std::move(entry));
}

}  // namespace motley
