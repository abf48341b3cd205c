#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
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
    /// compute: of the model that it begins at; send, receive: of the model sent, or of that at which what
    /// is sent was computed; update: how many updates the host has made with it.
    std::optional<std::uint64_t> version = {};
    /// compute: updates of the global model after `version` up to its end; send, receive: of what is
    /// sent, when it goes into an update; update: mean of what went into it. Below 0: not known.
    double staleness = -1;
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

  /// What the host computes from now on: at the model of this version, if it is at one, with so many
  /// samples.
  void computes(std::size_t host, std::optional<std::uint64_t> version, std::uint64_t samples) {
    computing_[host] = {version, samples};
  }
  void computed(std::size_t host, double begin, double end);
  /// Of the global model on the servers: how many updates all of its parts have.
  void newest_version_is(std::uint64_t version) { newest_version_ = version; }
  /// The host's last computation of this length was for nothing. Several servers each tell their
  /// part of it; it is shown as discarded when the parts make it whole.
  void discarded(std::size_t host, double seconds);
  void was_down(std::size_t host, double begin, double end) { add(host, State::down, begin, end); }
  /// Whatever it does meanwhile, its speed is so many times what it is called.
  void was_slowed(std::size_t host, double factor, double begin, double end);
  /// The links that messages take from one host to another; once, before the first of them.
  void add_way(std::size_t from, std::size_t to, const std::vector<std::string>& links);
  bool knows_way(std::size_t from, std::size_t to) const { return ways_.contains({from, to}); }
  /// `version`: of what it brings, see Interval.
  MessageId message_departs(std::size_t from, std::size_t to, double now, std::uint64_t bytes = 0,
                            std::optional<std::uint64_t> version = {});
  /// Returns the name by which updated() knows the message from now on; 0 when it is not shown.
  MessageId message_arrives(MessageId id, double now);
  /// What it brought goes into an update, and is so many updates old.
  void was_stale(MessageId id, std::uint64_t staleness);
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
  /// By name as in links.csv, in the order of their first use.
  const std::vector<std::string>& links() const { return links_; }
  /// Indices into links(); none where the way is not known.
  const std::vector<std::size_t>& way(std::size_t from, std::size_t to) const;
  bool shows_all_workers() const { return kept_workers_ == workers_; }
  /// "4 of 1000 workers, 10 s to 20 s": what of the run is here.
  std::string extent() const;

 private:
  struct Message {
    std::size_t from = 0;
    std::size_t to = 0;
    double departed = 0;
    bool under_way = false;
    std::size_t send = none;  // its intervals, once it has arrived
    std::size_t receive = none;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> version = {};
  };
  struct Computing {
    std::optional<std::uint64_t> version = {};
    std::uint64_t samples = 0;
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
  std::vector<Computing> computing_;  // of each host
  std::uint64_t newest_version_ = 0;
  std::vector<std::string> links_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> ways_;  // by both ends
  std::vector<std::uint64_t> versions_;  // of each host: its updates so far
  double piece_s_ = 0;                   // 0: all is kept
  std::uint64_t stride_ = 1;
  double end_s_ = 0;
  std::optional<double> ended_before_s_;  // the run, before the window begins
};

}  // namespace motley
