#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/engine/agenda.hpp"
#include "sim/engine/network/port_queue.hpp"

namespace motley {

/// The flows on a plain switch whose times need no solver. Every flow takes one link up to the switch
/// and one down from it; flows that are connected by links they share are worked out together:
///   alone      nothing else is on either link: its bytes over the smaller bandwidth;
///   at a port  all of them cross one link, the port, and what a flow's other link carries crosses that
///              port, too: a PortQueue, where m flows of one other link are limited to an m-th of it
///              each.
/// Whatever is connected in another way belongs to SimGrid: those under way are handed over with what is
/// left of them, and so is all that comes to their links as long as SimGrid has something there.
class SwitchPorts {
  struct Port;

 public:
  /// Whoever owns the flows derives from this.
  class Flow : public Agenda::Event, public PortQueue::Flow {
    friend class SwitchPorts;
    enum class Where { nowhere, alone, at_port, in_simgrid };
    Where where_ = Where::nowhere;
    std::size_t up_ = 0;  // its links
    std::size_t down_ = 0;
    double bytes_ = 0;  // alone: when it became so
    double start_s_ = 0;
    double end_s_ = 0;
    Port* port_ = nullptr;
    Flow* beside_ = nullptr;  // the next on its other link, while at a port
  };

  /// What SwitchPorts tells the network.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual double now() const = 0;
    /// The flow is through. One that is alone has its own event on the agenda for that.
    virtual void ended(Flow& flow) = 0;
    /// The flow ends at this very moment, and nobody shares with it any more.
    virtual void vacated(Flow& flow) = 0;
    /// SimGrid has to carry what is left.
    virtual void hand_over(Flow& flow, double bytes) = 0;
  };

  SwitchPorts(Agenda& agenda, Owner& owner) : agenda_(agenda), owner_(owner) {}
  ~SwitchPorts();

  /// Links are counted from 0.
  void add_link(double bandwidth_Bps) { links_.push_back({bandwidth_Bps}); }
  /// From now on. What is connected with the link belongs to SimGrid.
  void set_bandwidth(std::size_t link, double bandwidth_Bps);
  /// False when SimGrid must carry it.
  bool enter(Flow& flow, std::size_t up, std::size_t down, double bytes);
  /// When a flow has ended or is given up; harmless when it has left already. What SimGrid has of it is
  /// the caller's.
  void leave(Flow& flow);

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  struct Link {
    double bandwidth_Bps = 0;
    std::size_t flows = 0;       // those worked out here
    std::size_t in_simgrid = 0;  // and those of SimGrid's
    Flow* alone = nullptr;
    Port* port = nullptr;      // that its flows cross: itself, or at their other ends
    Flow* crossing = nullptr;  // a link that is no port: its flows

    bool is_idle() const { return flows == 0 && in_simgrid == 0; }
  };
  struct Port final : Agenda::Event {
    Port(SwitchPorts& owner, std::size_t of_link, double bandwidth_Bps)
        : ports(owner), link(of_link), queue(bandwidth_Bps) {
      set_background(true);  // messages of the algorithm are in flight: a run is not stuck then
    }
    void happen() override { ports.end_flows(*this); }

    SwitchPorts& ports;
    std::size_t link;
    PortQueue queue;
    double armed_for = never;
  };

  /// The link that is the port of everything the flow shares links with, if it comes; null: there is
  /// none. What else is on its links allows it then.
  Link* port_for(std::size_t up, std::size_t down);
  Port& make_port(double now, std::size_t link);
  void add_to(Port& port, double now, Flow& flow, double bytes);
  /// Returns what is left of it.
  double take_from_port(double now, Flow& flow);
  void count_in(Flow& flow);
  void count_out(Flow& flow);
  /// Takes a flow out that ends now, or has nothing left.
  void clear_ended(double now, std::size_t link);
  /// Gives all that is connected with the link to SimGrid.
  void give_up(double now, std::size_t link);
  void hand_over(Flow& flow, double bytes);
  void end_flows(Port& port);
  void arm(Port& port);
  /// After a flow has come or gone: the share of each of those on a link that is no port.
  void divide(double now, Link& link, const Flow* but);
  double rest_of_lonely(double now, const Flow& flow) const;
  std::size_t other_end(const Flow& flow, std::size_t link) const {
    return flow.up_ == link ? flow.down_ : flow.up_;
  }

  Agenda& agenda_;
  Owner& owner_;
  std::vector<Link> links_;
  // By link; kept when they are empty.
  std::unordered_map<std::size_t, std::unique_ptr<Port>> ports_;
};

}  // namespace motley
