#pragma once

#include <array>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "sim/live/ending.hpp"
#include "sim/live/live_clock.hpp"
#include "sim/live/packet.hpp"
#include "sim/live/run_log.hpp"

namespace motley {

/// What a rank sends and gets in one run. All waiting is done here: it moves messages on, hands over what
/// has come, and naps in between, since ranks may share their cores.
class Post {
 public:
  /// `shares_machine`: with other ranks, whose cores a rank that only waits must not take; nor its own, if it has
  /// but one.
  Post(Transport& transport, LiveClock& clock, std::uint32_t run, bool shares_machine);

  std::size_t rank() const { return transport_.rank(); }
  std::size_t ranks() const { return transport_.size(); }
  double now() const { return clock_.now(); }
  LiveClock& clock() { return clock_; }
  RunLog& log() { return log_; }

  /// What is done with packets of a kind, outside of any wait.
  using Handler = std::function<void(Packet&)>;
  void on(PacketKind kind, Handler handler) {
    handlers_[static_cast<std::size_t>(kind)] = std::move(handler);
  }
  /// From now on packets with something of the algorithm are kept, until hand_over(): its body has not begun here,
  /// but may have elsewhere.
  void hold_back() { holds_back_ = true; }
  void hand_over() { holds_back_ = false; }
  /// Sends it and goes on at once; padded to `wire_bytes`. `gone` is called when it has left as a whole,
  /// also when the run is over then.
  void send(std::size_t to, PacketKind kind, ByteWriter& content, std::uint64_t wire_bytes,
            std::function<void()> gone = {});
  /// Without content.
  void send(std::size_t to, PacketKind kind);
  void send_to_others(PacketKind kind, ByteWriter& content);

  /// Waits until ready() or `until`, and tells which: whether it is ready. Throws RunOver when the run is
  /// over before.
  template <class Ready>
  bool wait(double until, const Ready& ready);
  /// For whom it waits, for the report of a run that stands still.
  void set_waits_for(const char* what) { waits_for_ = what; }
  /// "nothing" unless it waits for it without a limit.
  const char* waits_for() const { return waits_for_ever_ ? waits_for_ : "nothing"; }
  /// The same whether the run is over or not.
  template <class Ready>
  bool wait_anyway(double until, const Ready& ready);

  /// Waits until the other rank has all that was sent to it.
  void wait_until_arrived(std::size_t to);

  /// From now on it naps for longer: nothing that comes is urgent.
  void be_patient() { patient_ = true; }
  /// Called again and again while this rank waits.
  void while_waiting(std::function<void()> look) { look_ = std::move(look); }

  // The end.
  const Ending& ending() const { return ending_; }
  bool is_over() const { return ending_.how != Ending::How::not_yet; }
  /// The run is over, here and everywhere else.
  void end(const Ending& ending);
  void throw_if_over();
  /// The run is over at this moment, on every rank by its own clock.
  void end_at(double time_s) { end_s_ = time_s; }

  /// How many packets with something of the algorithm have come and gone, and when the last did.
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  /// While a handler runs: what has come is the model of this version, or was computed at it.
  void arrival_brings(std::optional<std::uint64_t> version);
  const Transport& transport() const { return transport_; }
  /// Ranks that have said that nothing more will come from them.
  const std::set<std::size_t>& farewells() const { return farewells_; }

 private:
  /// Handles one packet; false when there is none.
  bool poll();
  void take(Packet& packet);
  void handle(Packet& packet);
  void nap(double until);
  void answer_questions();
  static bool is_of_algorithm(PacketKind kind) { return kind <= PacketKind::left; }
  void look_at_clock();

  Transport& transport_;
  LiveClock& clock_;
  std::uint32_t run_;
  bool shares_machine_;
  bool patient_ = false;
  RunLog log_;
  std::array<Handler, 16> handlers_;
  std::function<void()> look_;
  bool holds_back_ = false;
  std::deque<Packet> held_back_;
  std::vector<std::uint64_t> sent_to_;        // by rank: packets of the algorithm
  std::vector<std::uint64_t> received_from_;  // by rank
  struct Question {
    std::size_t from;
    std::uint64_t packets;
  };
  std::set<std::size_t> farewells_;
  std::vector<Question> questions_;
  std::vector<std::uint64_t> answered_;  // by rank: so many packets are there
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  const char* waits_for_ = "nothing";
  bool waits_for_ever_ = false;
  Ending ending_;
  double end_s_ = forever;
};

/// What came for a run that has not begun here yet; it is handed over when it does.
std::vector<Packet>& early_packets();

template <class Ready>
bool Post::wait_anyway(double until, const Ready& ready) {
  for (;;) {
    bool moved = false;
    while (poll()) moved = true;
    if (ready()) return true;
    if (look_) look_();
    if (now() >= until) return false;
    if (!moved) nap(until);
  }
}

template <class Ready>
bool Post::wait(double until, const Ready& ready) {
  throw_if_over();
  waits_for_ever_ = until == forever;
  const bool is_ready = wait_anyway(until, [&] {
    look_at_clock();
    return is_over() || ready();
  });
  waits_for_ever_ = false;
  throw_if_over();
  return is_ready;
}

}  // namespace motley
