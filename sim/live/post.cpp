#include "sim/live/post.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <thread>

#include "sim/live/interrupts.hpp"

namespace motley {
namespace {

/// The thread that computes would wait for one that looks for messages without a nap.
bool has_one_cpu() {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) < 2;
}

}  // namespace

std::vector<Packet>& early_packets() {
  static std::vector<Packet> early;
  return early;
}

Post::Post(Transport& transport, LiveClock& clock, std::uint32_t run, bool shares_machine)
    : transport_(transport),
      clock_(clock),
      run_(run),
      shares_machine_(shares_machine || has_one_cpu()),
      sent_to_(transport.size(), 0),
      received_from_(transport.size(), 0),
      answered_(transport.size(), 0) {
  on(PacketKind::question, [this](Packet& packet) {
    questions_.push_back({packet.from, packet.content().take<std::uint64_t>()});
    answer_questions();
  });
  on(PacketKind::answer,
     [this](Packet& packet) { answered_[packet.from] = packet.content().take<std::uint64_t>(); });
  on(PacketKind::farewell, [this](Packet& packet) { farewells_.insert(packet.from); });
  on(PacketKind::stop, [this](Packet& packet) {
    if (is_over()) return;
    ByteReader content = packet.content();
    ending_.how = content.take<Ending::How>();
    ending_.reason = content.take_text();
  });
}

// ---- Sending ----

void Post::send(std::size_t to, PacketKind kind, ByteWriter& content, std::uint64_t wire_bytes,
                std::function<void()> gone) {
  PacketHead head;
  head.kind = kind;
  head.run = run_;
  head.departed_s = now();
  head.wire_bytes = wire_bytes;
  if (is_of_algorithm(kind)) {
    head.number = ++sent_to_[to];
    ++sent_;
  }
  const std::size_t held = sizeof(head) + content.size();
  constexpr std::uint64_t header_bytes =
      2000;  // what a message has beside its entries, 256 levels of them among it
  if (is_of_algorithm(kind) && wire_bytes > 0 && held > wire_bytes + header_bytes) {
    ++log_.large_messages;
    log_.large_by_bytes += static_cast<double>(held - wire_bytes);
  }
  Buffer bytes = transport_.buffer(std::max<std::size_t>(held, wire_bytes));
  std::memcpy(bytes.data(), &head, sizeof(head));
  if (content.size() > 0) {
    std::memcpy(bytes.data() + sizeof(head), content.bytes().data(), content.size());
  }
  transport_.send(to, std::move(bytes), std::move(gone));
}

void Post::send(std::size_t to, PacketKind kind) {
  ByteWriter nothing;
  send(to, kind, nothing, 0);
}

void Post::send_to_others(PacketKind kind, ByteWriter& content) {
  for (std::size_t other = 0; other < ranks(); ++other) {
    if (other != rank()) send(other, kind, content, 0);
  }
}

// ---- What comes ----

bool Post::poll() {
  if (!early_packets().empty()) {
    const auto due = std::ranges::find_if(
        early_packets(), [this](const Packet& packet) { return packet.head.run == run_; });
    if (due != early_packets().end()) {
      Packet packet = std::move(*due);
      early_packets().erase(due);
      take(packet);
      return true;
    }
  }
  if (!holds_back_ && !held_back_.empty()) {
    Packet packet = std::move(held_back_.front());
    held_back_.pop_front();
    handle(packet);
    transport_.give_back(std::move(packet.bytes));
    return true;
  }
  std::optional<Transport::Arrived> arrived = transport_.poll();
  if (!arrived) return false;
  Packet packet{arrived->from, {}, std::move(arrived->bytes)};
  std::memcpy(&packet.head, packet.bytes.data(), sizeof(packet.head));
  if (packet.head.run > run_) {
    early_packets().push_back(std::move(packet));
    return true;
  }
  if (packet.head.run == run_) {
    take(packet);
  } else {
    transport_.give_back(std::move(packet.bytes));
  }
  return true;
}

void Post::take(Packet& packet) {
  if (holds_back_ && is_of_algorithm(packet.head.kind)) {
    held_back_.push_back(std::move(packet));
    return;
  }
  handle(packet);
  transport_.give_back(std::move(packet.bytes));
}

void Post::handle(Packet& packet) {
  const PacketKind kind = packet.head.kind;
  if (is_of_algorithm(kind)) {
    ++received_;
    ++received_from_[packet.from];
    if (packet.head.wire_bytes > 0 || kind == PacketKind::push || kind == PacketKind::message) {
      LogEntry entry;
      entry.kind = LogEntry::Kind::arrival;
      entry.time_s = now();
      entry.begin_s = std::min(packet.head.departed_s, entry.time_s);
      entry.who = packet.from;
      entry.count = packet.head.wire_bytes;
      entry.number = received_;
      log_.entries.push_back(entry);
    }
    if (!questions_.empty()) answer_questions();
    if (is_over()) return;  // nobody is there to take it
  }
  if (const Handler& handler = handlers_[static_cast<std::size_t>(kind)]) handler(packet);
}

void Post::arrival_brings(std::optional<std::uint64_t> version) {
  if (log_.entries.empty()) return;
  LogEntry& last = log_.entries.back();
  if (last.kind == LogEntry::Kind::arrival && last.number == received_) last.version = version;
}

void Post::answer_questions() {
  std::erase_if(questions_, [this](const Question& question) {
    if (received_from_[question.from] < question.packets) return false;
    ByteWriter answer;
    answer.put(question.packets);
    send(question.from, PacketKind::answer, answer, 0);
    return true;
  });
}

void Post::wait_until_arrived(std::size_t to) {
  const std::uint64_t packets = sent_to_[to];
  if (answered_[to] >= packets) return;
  ByteWriter question;
  question.put(packets);
  send(to, PacketKind::question, question, 0);
  wait(forever, [&] { return answered_[to] >= packets; });
}

// ---- Waiting ----

void Post::nap(double until) {
  // Nobody else wants this core.
  if (!shares_machine_) {
    sched_yield();
    return;
  }
  // What is under way moves on only when it is looked at, but each look takes a core from somebody.
  constexpr double while_moving_s = 100e-6;
  const double while_quiet_s = patient_ ? 5e-3 : 250e-6;
  const double longest = transport_.is_busy() ? while_moving_s : while_quiet_s;
  const double left = until - now();
  if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(std::min(longest, left)));
}

void Post::look_at_clock() {
  if (is_over()) return;
  if (now() >= end_s_) ending_ = {Ending::How::finished, ""};
  if (interrupting_signal() != 0) {
    end({Ending::How::interrupted, interruption(interrupting_signal())});
  }
}

// ---- The end ----

void Post::end(const Ending& ending) {
  if (is_over()) return;
  ending_ = ending;
  ByteWriter content;
  content.put(ending.how);
  content.put(ending.reason);
  send_to_others(PacketKind::stop, content);
}

void Post::throw_if_over() {
  look_at_clock();
  if (is_over()) throw RunOver();
}

}  // namespace motley
