#pragma once

#include <cstddef>
#include <limits>
#include <map>

#include <boost/intrusive/set.hpp>

namespace motley {

/// Flows through one port, each limited besides by a link of its own: a processor-sharing queue with
/// caps. At every moment there is a level such that each flow runs at the level, or at its cap where
/// that is less, and the port is full unless everybody runs at the cap. This is the max-min fair
/// share of flows that have nothing but the port in common.
///
/// Flows of one cap always run at the same rate, so they end in the order of what they had to carry
/// beyond the work that the cap's flows had done when they came. Caps below the level run at a known
/// rate; those above it all run at the level, so that one count of work serves them all. An event
/// therefore changes the position of one flow, and that of each cap that the level passes: it takes
/// the logarithm of the number of flows, not a pass over them.
///
/// Knows nothing of the simulation: it is told the time, which must not go back.
class PortQueue {
  struct Cap;

 public:
  /// Rounding of the moment at which a flow ends: those that end this near to each other end together,
  /// as in SimGrid.
  static constexpr double precision_s = 1e-12;

  /// A place in a queue. Whoever owns it derives from it.
  class Flow : public boost::intrusive::set_base_hook<> {
   public:
    friend bool operator<(const Flow& a, const Flow& b) { return a.end_work_ < b.end_work_; }

   private:
    friend class PortQueue;
    Cap* cap_ = nullptr;
    double end_work_ = 0;  // of its cap, when it is through
  };

  explicit PortQueue(double bandwidth_Bps) : bandwidth_Bps_(bandwidth_Bps) {}
  ~PortQueue();
  PortQueue(const PortQueue&) = delete;
  PortQueue& operator=(const PortQueue&) = delete;

  /// Only while it is empty.
  void set_bandwidth(double bandwidth_Bps) { bandwidth_Bps_ = bandwidth_Bps; }
  /// The flow must outlive its stay, and not be in a queue.
  void add(double now, Flow& flow, double bytes, double cap_Bps);
  /// Takes it out and returns the bytes that are left of it.
  double remove(double now, Flow& flow);
  /// When the next flow ends if nothing else happens; infinity when there is none.
  double next_end() const;
  /// Takes out a flow that has ended by now; null when there is none. Those that end together come in
  /// any order.
  Flow* take_ended(double now);
  /// Any flow; null when there is none.
  Flow* any();

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  /// The flows of one cap. A cap is free while they run at it, and shared while they run at the level.
  struct Cap : boost::intrusive::set_base_hook<> {
    explicit Cap(double rate) : rate_Bps(rate) {}
    /// What ends next, by `next` of either kind.
    friend bool operator<(const Cap& a, const Cap& b) { return a.next < b.next; }

    double rate_Bps;
    boost::intrusive::multiset<Flow> flows;  // what ends next first
    bool shared = false;
    double origin = 0;  // free: the moment at which its work was 0; shared: the level's work then
    // free: the moment at which the first flow ends; shared: the level's work then
    double next = 0;
  };
  using Caps = std::map<double, Cap>;  // by rate

  void advance(double now);
  /// Work that its flows have done, each.
  double work(const Cap& cap) const;
  /// To be called when its first flow may be another.
  void sort_in(Cap& cap);
  void sort_out(Cap& cap);
  void share(Cap& cap);
  void set_free(Cap& cap);
  /// Finds the level after flows have come or gone.
  void settle();
  double level() const;
  void take_out(Flow& flow);

  double bandwidth_Bps_;
  double now_ = 0;
  double shared_work_ = 0;  // of a flow that has always run at the level
  Caps caps_;               // the free ones first: they have the smaller rates
  Caps::iterator first_shared_ = caps_.end();
  boost::intrusive::multiset<Cap> free_;    // by what ends next
  boost::intrusive::multiset<Cap> shared_;  // by what ends next
  long double free_Bps_ = 0;                // of all flows at their caps
  std::size_t free_flows_ = 0;
  std::size_t shared_flows_ = 0;
  std::size_t size_ = 0;
};

}  // namespace motley
