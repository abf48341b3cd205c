#include "sim/live/live_group.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/engine/network/wire_bytes.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

LiveGroup::LiveGroup(Worker& me, LiveContext& context, const std::string& name,
                     const std::vector<std::size_t>& ranks, std::size_t member)
    : Group(me, name, std::make_shared<const std::vector<std::size_t>>(ranks)),
      context_(context),
      ring_{context, name, ranks, member} {}

// ---- Averages ----

std::uint64_t LiveGroup::bytes_of(const Parameters& v) const {
  return part_of_bytes(context_.setup().message_bytes, v.size(),
                       context_.setup().problem.dimension());
}

std::shared_ptr<RingAverage> LiveGroup::start(std::uint64_t bytes,
                                              std::optional<RingAverage::Part> part) {
  const Round round = averages_++;
  auto average = std::make_shared<RingAverage>(ring_, round, bytes, std::move(part));
  under_way_[round] = average;
  average->begin([this, round] {
    under_way_.erase(round);
    if (bucket_ && bucket_->is_done()) start_next_bucket();
  });
  const auto early = early_.find(round);
  if (early != early_.end()) {
    std::vector<Packet> packets = std::move(early->second);
    early_.erase(early);
    for (Packet& packet : packets) average_arrived(packet);
  }
  return average;
}

void LiveGroup::average_arrived(Packet& packet) {
  ByteReader content = packet.content();
  content.take_text();
  const auto round = content.take<Round>();
  const auto step = content.take<std::uint32_t>();
  if (round >= averages_) {
    early_[round].push_back(std::move(packet));
    return;
  }
  const auto found = under_way_.find(round);
  const std::shared_ptr<RingAverage> average =
      found == under_way_.end() ? nullptr : found->second.lock();
  if (average)
    average->arrived(step, packet);
  else
    under_way_.erase(round);  // nobody waits for it
}

void LiveGroup::finish(const std::shared_ptr<RingAverage>& average) {
  context_.post().set_waits_for("neighbours in the all-reduce");
  context_.post().wait(forever, [&] { return average->is_done(); });
  context_.post().set_waits_for("nothing");
}

void LiveGroup::check_none_under_way() const {
  if (started_ && !started_->is_done()) {
    throw std::logic_error("an all-reduce was begun in a group before the last one had ended");
  }
}

NotesOfAll LiveGroup::all_reduce_mean(Parameters& v, double weight, std::vector<double> numbers) {
  check_none_under_way();
  const std::shared_ptr<RingAverage> average =
      start(bytes_of(v), RingAverage::Part{v, weight, std::move(numbers)});
  finish(average);
  v = average->mean();
  return average->numbers();
}

Pending<Averaged> LiveGroup::start_all_reduce_mean(const Parameters& v, double weight,
                                                   std::vector<double> numbers) {
  check_none_under_way();
  started_ = start(bytes_of(v), RingAverage::Part{v, weight, std::move(numbers)});
  return {[this, average = started_] {
            finish(average);
            return Averaged{average->mean(), average->numbers()};
          },
          [average = started_] { return average->is_done(); }};
}

NotesOfAll LiveGroup::exchange(std::vector<double> numbers, std::uint64_t bytes) {
  check_none_under_way();
  const std::shared_ptr<RingAverage> average =
      start(bytes, RingAverage::Part{Parameters::zeros(1), 1, std::move(numbers)});
  finish(average);
  return average->numbers();
}

// ---- Buckets ----

void LiveGroup::start_buckets(const std::vector<GradientBucket>& buckets) {
  buckets_ = &buckets;
  buckets_ready_ = 0;
  buckets_begun_ = 0;
  bucket_ = nullptr;
}

void LiveGroup::bucket_is_ready(const Parameters& whole, double weight) {
  whole_ = {whole, weight, {}};
  ++buckets_ready_;
  start_next_bucket();
}

void LiveGroup::start_next_bucket() {
  if (is_starting_bucket_) return;  // what has come early for it is being handed over
  is_starting_bucket_ = true;
  while (buckets_begun_ < buckets_ready_ && (!bucket_ || bucket_->is_done())) {
    // As in a simulation the mean comes with the last of them.
    const std::size_t index = buckets_begun_++;
    const bool is_last = index + 1 == buckets_->size();
    bucket_ = start((*buckets_)[index].bytes, is_last ? std::optional(whole_) : std::nullopt);
  }
  is_starting_bucket_ = false;
}

Parameters LiveGroup::wait_for_buckets() {
  context_.post().set_waits_for("neighbours in the all-reduce");
  context_.post().wait(forever,
                       [this] { return buckets_begun_ == buckets_->size() && bucket_->is_done(); });
  context_.post().set_waits_for("nothing");
  Parameters mean = bucket_->mean();
  bucket_ = nullptr;
  whole_ = {};
  return mean;
}

// ---- Barriers ----

LiveGroup::Round LiveGroup::come(double number) {
  const Round round = gatherings_++;
  ByteWriter content;
  content.put(ring_.name);
  content.put(round);
  content.put<std::uint64_t>(ring_.member);
  content.put(number);
  for (const std::size_t rank : ranks()) {
    if (rank != context_.post().rank()) {
      context_.post().send(rank, PacketKind::gathering, content, 0);
    }
  }
  Gathering& mine = open_[round];
  mine.numbers.resize(size());
  mine.numbers[ring_.member] = number;
  ++mine.here;
  return round;
}

void LiveGroup::member_came(Packet&, ByteReader content) {
  Gathering& gathering = open_[content.take<Round>()];
  const auto member = content.take<std::uint64_t>();
  gathering.numbers.resize(size());
  gathering.numbers[member] = content.take<double>();
  ++gathering.here;
}

bool LiveGroup::are_all_here(Round gathering) {
  return open_[gathering].here == size();
}

void LiveGroup::wait_for(Round gathering) {
  context_.post().set_waits_for("the others at the barrier");
  context_.post().wait(forever, [&] { return are_all_here(gathering); });
  context_.post().set_waits_for("nothing");
}

void LiveGroup::barrier() {
  start_barrier().wait();
}

Pending<void> LiveGroup::start_barrier() {
  const Round round = come(0);
  return {[this, round] {
            wait_for(round);
            open_.erase(round);
          },
          [this, round] { return are_all_here(round); }};
}

Notes LiveGroup::gather(double number) {
  return start_gather(number).wait();
}

Pending<Notes> LiveGroup::start_gather(double number) {
  const Round round = come(number);
  return {[this, round] {
            wait_for(round);
            auto numbers =
                std::make_shared<const std::vector<double>>(std::move(open_[round].numbers));
            open_.erase(round);
            return numbers;
          },
          [this, round] { return are_all_here(round); }};
}

// ---- All groups ----

LiveGroups::LiveGroups(Worker& me, LiveContext& context) : me_(me), context_(context) {
  context.post().on(PacketKind::average, [this](Packet& packet) { arrived(packet); });
  context.post().on(PacketKind::gathering, [this](Packet& packet) { arrived(packet); });
}

void LiveGroups::arrived(Packet& packet) {
  const std::string name = packet.content().take_text();
  const auto group = groups_.find(name);
  if (group == groups_.end())
    early_[name].push_back(std::move(packet));
  else
    hand_over(*group->second, packet);
}

void LiveGroups::hand_over(LiveGroup& group, Packet& packet) {
  if (packet.head.kind == PacketKind::average) {
    group.average_arrived(packet);
    return;
  }
  ByteReader content = packet.content();
  content.take_text();
  group.member_came(packet, content);
}

LiveGroup& LiveGroups::group(const std::string& name, const std::vector<std::size_t>& ranks,
                             const std::string& collective) {
  const std::unique_ptr<LiveGroup>& known = groups_[name];
  if (known) {
    if (known->ranks() != ranks) {
      throw std::logic_error("a group was asked for by the name of another: '" + name + "'");
    }
    return *known;
  }
  const std::string by =
      collective.empty() ? ExchangeSpec::name_of(context_.exchange().collective) : collective;
  if (by != "ring") {
    throw std::runtime_error("a live run averages by a ring, not by " + by);
  }
  const auto found = std::ranges::find(ranks, me_.rank());
  if (found == ranks.end()) {
    throw std::logic_error("worker " + std::to_string(me_.rank()) + " is not in its group '" +
                           name + "'");
  }
  auto mine = std::make_unique<LiveGroup>(me_, context_, name, ranks,
                                          static_cast<std::size_t>(found - ranks.begin()));
  LiveGroup& group = *(groups_[name] = std::move(mine));
  const auto early = early_.find(name);
  if (early != early_.end()) {
    std::vector<Packet> packets = std::move(early->second);
    early_.erase(early);
    for (Packet& packet : packets) hand_over(group, packet);
  }
  return group;
}

LiveGroup& LiveGroups::everybody() {
  if (everybody_ == nullptr) {
    std::vector<std::size_t> all(context_.workers());
    std::iota(all.begin(), all.end(), std::size_t{0});
    everybody_ = &group("everybody", all, "");
  }
  return *everybody_;
}

}  // namespace motley
