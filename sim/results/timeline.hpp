#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace motley {

/// Which part of a run is to be kept as a timeline.
struct TraceWindow {
  double from_s = 0;
  double to_s = std::numeric_limits<double>::infinity();
  std::size_t most_workers = 64;         ///< beyond it, a sample evenly spread over the ranks
  std::size_t most_intervals = 200'000;  ///< beyond it, pieces of the window that are evenly spread
};

/// Who did what when. Hosts are numbered as the network's nodes: workers by rank, then servers.
/// Told by those to whom it happens, as it happens; a run without one pays a null pointer's test.
class Timeline {
 public:
  enum class State : std::uint8_t { compute, send, receive, wait, discarded, update, down, slowed };
  static const char* name(State state);

  struct Interval {
    std::size_t host = 0;
    State state = State::wait;
    double begin_s = 0;
    double end_s = 0;
    bool outside = false;       ///< of the window; dropped at the end
    double factor = 1;          ///< slowed: of its speed
    std::size_t peer = nobody;  ///< send, receive: the other host
    std::uint64_t bytes = 0;    ///< send, receive: of the message
    std::uint64_t batch = 0;    ///< compute: samples, of all steps in it
    /// update: how many updates the host has made with it; 0: none.
    std::uint64_t version = 0;
    double staleness = -1;  ///< update: mean of the gradients in it; below 0: not known
  };
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
  /// From the interval in which a push was sent to the update it went into; or, between workers, to that
  /// in which it is received.
  struct Arrow {
    std::size_t send = 0;  ///< index into intervals()
    std::size_t to = 0;
    bool is_push = true;
  };
  /// Of a message that is followed; 0 when it is not.
  using MessageId = std::uint32_t;

  /// `hosts` by node; the first `workers` of them are workers.
  Timeline(const TraceWindow& window, std::vector<std::string> hosts, std::size_t workers);

  void computed(std::size_t host, double begin, double end);
  /// A gradient of so many samples came out of the host's last computation.
  void gradient_of(std::size_t host, std::uint64_t samples);
  /// The host's last computation of this length was for nothing. Several servers each tell their
  /// part of it; it is shown as discarded when the parts make it whole.
  void discarded(std::size_t host, double seconds);
  void was_down(std::size_t host, double begin, double end) { add(host, State::down, begin, end); }
  /// Whatever it does meanwhile, its speed is so many times what it is called.
  void was_slowed(std::size_t host, double factor, double begin, double end);
  MessageId message_departs(std::size_t from, std::size_t to, double now, std::uint64_t bytes = 0);
  /// Returns the name by which updated() knows the message from now on; 0 when it is not shown.
  MessageId message_arrives(MessageId id, double now);
  /// An update of the global model on `host`, made of what these messages brought.
  void updated(std::size_t host, double begin, double end, std::span<const MessageId> used,
               double staleness = -1);
  /// Ends what is under way and fills every gap of a host with waiting. Once, at the end.
  void close(double end);

  const std::vector<std::string>& hosts() const { return hosts_; }
  bool is_kept(std::size_t host) const { return kept_[host]; }
  /// By host, then by begin; cut to the window.
  const std::vector<Interval>& intervals() const { return intervals_; }
  const std::vector<Arrow>& arrows() const { return arrows_; }
  /// "4 of 1000 workers, 10 s to 20 s": what of the run is here.
  std::string extent() const;

 private:
  struct Message {
    std::size_t from = 0;
    std::size_t to = 0;
    double departed = 0;
    bool under_way = false;
    std::size_t send = none;  // its interval, once it has arrived
    std::uint64_t bytes = 0;
  };
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// Index of the new interval, none when it is not kept.
  std::size_t add(std::size_t host, State state, double begin, double end);
  /// Whether there was such a computation.
  bool discard_last(std::size_t host, double length);
  void show(Message& message, double end);
  void put_in_order();
  void fill_gaps();
  /// Leaves out every other piece of the window, from now on as well.
  void thin_out(double now);
  /// The pieces are numbered from the beginning of the window; every stride-th is kept.
  bool is_in_kept_piece(double begin) const;
  /// Forgets all intervals but those with a place, and gives these their places.
  void move_to(const std::vector<std::size_t>& place, std::vector<Interval> moved);

  TraceWindow window_;
  std::vector<std::string> hosts_;
  std::size_t workers_;
  std::size_t kept_workers_ = 0;
  std::vector<bool> kept_;
  std::vector<std::size_t> last_computation_;  // of each host
  std::vector<std::size_t> before_;            // of each interval: the host's computation before it
  std::vector<double> discarded_parts_s_;      // of each host, not yet a whole computation
  std::vector<Interval> intervals_;
  std::vector<Message> messages_;  // the first is nobody
  std::vector<MessageId> unused_;
  std::vector<Arrow> arrows_;
  std::vector<std::uint64_t> versions_;  // of each host: its updates so far
  double piece_s_ = 0;                   // 0: all is kept
  std::uint64_t stride_ = 1;
  double end_s_ = 0;
  std::optional<double> ended_before_s_;  // the run, before the window begins
};

}  // namespace motley
