#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <simgrid/s4u.hpp>

#include "sim/engine/agenda.hpp"
#include "sim/engine/machine_failures.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/switch_ports.hpp"
#include "sim/results/recorder.hpp"

namespace motley {

/// Messages between nodes in virtual time. A message starts when it is sent, whatever the receiver
/// does, shares links with all others, and is handed over at the moment it arrives: a slow message
/// never holds up a fast one sent after it, as a SimGrid mailbox would.
///
/// fluid: a message first pays the latencies of its links, then flows at its max-min fair share.
/// SimGrid would share a link in inverse proportion to the flows' latencies, so there the latencies
/// are taken off the links and paid here. tcp: everything is SimGrid's.
///
/// On a switch, the times of most fluid messages are known without SimGrid: see SwitchPorts. The times
/// are the same, most of the cost is not.
///
/// SimGrid's flows never get faster than the links were when they started. In fluid, those on a
/// link whose bandwidth has risen are started anew with what is left of them.
///
/// With approximate.port_flows = k, at most k messages flow through a host's link in one direction
/// and the others wait their turn: SimGrid's cost of one message grows with those that share its
/// links.
class Network final : private SwitchPorts::Owner {
 public:
  using Node = std::size_t;

  /// `on_switch`: every host has links of its own to one switch, whose bandwidths change only by
  /// change_bandwidths().
  /// `typical_bytes`: of a message; what is left of messages is exact to 2^-50 of it. 0: to a byte,
  /// and SimGrid's own trace then shows the links as they are.
  Network(const Platform& platform, const Scenario& scenario, Recorder& recorder, Agenda& agenda,
          std::size_t workers, bool on_switch, std::uint64_t typical_bytes);
  ~Network() override;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Sends and returns at once. `arrived` runs at the moment of arrival, outside of any actor: it
  /// may fill inboxes, not block. Counts bytes, and the transfer in the accounts of the workers at
  /// both ends. `latencies`: how many times the latency of the way is paid (fluid only). What is sent
  /// to a machine that is down is lost at once and costs nothing: then false.
  bool send(Node from, Node to, std::uint64_t bytes, std::function<void()> arrived,
            double latencies = 1);

  /// Sends a message of others, which takes its share of the links and counts as nobody's, whatever
  /// fails.
  void send_background(Node from, Node to, std::uint64_t bytes);
  /// What links of the platform carry from now on, over what it says of them; fluid only.
  struct BandwidthFactor {
    simgrid::s4u::Link* link = nullptr;
    double factor = 1;
  };
  void change_bandwidths(std::span<const BandwidthFactor> changes);
  /// Whether a machine is up; all are before this is called.
  void follow_failures(const MachineFailures& failures) { failures_ = &failures; }
  /// What is on its way to and from the machine is lost, and its links are free.
  void lose_messages_of(Node node);
  /// The same for all that is on its way, but for what others send.
  void lose_all_messages();

  simgrid::s4u::Host* host(Node node) const { return platform_.host(node); }

  /// While `arrived` runs: the message on the recorder's timeline.
  Timeline::MessageId arriving() const { return arriving_; }

  /// Nothing arrives any more.
  void close() { closed_ = true; }
  std::size_t in_flight() const { return in_flight_; }
  /// Every link of the platform, by name, with what it carried up to `end`. `plan`: of the platform.
  std::vector<LinkResult> links(double end, const ClusterPlan& plan) const;

 private:
  struct Route {
    boost::container::small_vector<std::size_t, 4> links;
    double latency_s = 0;      ///< to be paid here
    double bandwidth_Bps = 0;  ///< the smallest of its links
  };
  struct Message final : SwitchPorts::Flow {
    explicit Message(Network& owner) : network(owner) {}
    void happen() override;

    Network& network;
    Node from = 0;
    Node to = 0;
    std::uint64_t bytes = 0;
    const Route* route = nullptr;
    Timeline::MessageId traced = 0;
    bool background = false;
    std::function<void()> arrived;
    bool under_way = false;    // not of others
    bool has_entered = false;  // its latency has passed
    bool has_place = false;    // at both its ports, where they are limited; nobody waits for it
    bool on_links = false;
    simgrid::s4u::CommPtr comm;  // while SimGrid has it
  };
  struct ProfileEvent final : Agenda::Event {
    explicit ProfileEvent(Network& owner) : network(owner) {}
    void happen() override { network.follow_profiles(); }

    Network& network;
  };
  struct LinkLoad {
    simgrid::s4u::Link* link = nullptr;
    double bytes = 0;
    std::size_t flows = 0;  // that are on it now
    double busy_s = 0;      // up to the last moment without a flow
    double busy_since = 0;  // while there are flows
    double J_per_byte = 0;  // beyond what it draws without load
    double background_bytes = 0;
  };
  /// Of a link that change_bandwidths() or its profile has changed.
  struct ChangedLink {
    double plain_Bps = 0;  // without the factor
    double factor = 1;
    double since_s = 0;     // it has this bandwidth
    double full_bytes = 0;  // that it could have carried up to then
  };
  /// The messages that flow through a host's link in one direction, and those that wait for it.
  struct Port {
    std::size_t flows = 0;
    std::list<Message*> queue;  // most are empty, and a list then takes no memory
  };

  // The way of a message after its latency: through its sender's port, its receiver's, and away.
  void enter(Message& message);
  void enter_down(Message& message);
  void flow(Message& message);
  void flow_in_simgrid(Message& message, double bytes);
  Message& new_message(Node from, Node to, std::uint64_t bytes);
  void depart(Message& message, double latencies);
  /// Starts what flows over risen links anew: SimGrid's flows never get faster.
  void restart_on(const std::vector<bool>& risen);
  /// What the platform says of it.
  double plain_bandwidth(const simgrid::s4u::Link* link) const;
  /// Up to now it had this bandwidth.
  static void settle(ChangedLink& changed, double bandwidth_Bps);
  /// Of a link whose profile has changed it: what it carries from now on.
  static double followed(ChangedLink& changed, double before_Bps, double plain_Bps);
  /// Mean over the run, without SimGrid's unit.
  double mean_bandwidth(const simgrid::s4u::Link* link, double end) const;
  /// After profiles have changed bandwidths: starts what flows over risen links anew.
  void follow_profiles();
  double now() const override { return agenda_.now(); }
  void ended(SwitchPorts::Flow& flow) override { complete(static_cast<Message&>(flow)); }
  void vacated(SwitchPorts::Flow& flow) override { vacate(static_cast<Message&>(flow)); }
  void hand_over(SwitchPorts::Flow& flow, double bytes) override {
    flow_in_simgrid(static_cast<Message&>(flow), bytes);
  }
  // Around the time in which a message takes its share of its links.
  void occupy(Message& message);
  void vacate(Message& message);
  void complete(Message& message);
  /// SimGrid has nothing of the message any more.
  void finish(Message& message);
  void release_finished();
  void count_departure(Message& message);
  void count_arrival(const Message& message);
  void leave(const Message& message);
  /// Gives a place at the sender's port to the next that waits there.
  void leave_up(Node from);
  void lose(Message& message);
  const Route& route(Node from, Node to);
  /// The links that SimGrid has on that way.
  void add_links(Route& route, Node from, Node to);
  /// The links that the plan has on that way, where SimGrid has none.
  void add_planned_links(Route& route, Node from, Node to);
  void add_link(Route& route, std::size_t index, double bandwidth_Bps, double latency_s);
  std::vector<LinkResult> planned_links(double end, const ClusterPlan& plan) const;
  static double busy_s(const LinkLoad& load, double end) {
    return load.busy_s + (load.flows > 0 ? end - load.busy_since : 0);
  }
  double energy_per_byte(const simgrid::s4u::Link* link) const;

  const Platform& platform_;
  Recorder& recorder_;
  Agenda& agenda_;
  std::size_t workers_;
  bool fluid_;
  bool on_switch_;                         // and fluid
  double unit_;                            // how many of SimGrid's bytes make a byte
  std::optional<std::size_t> port_flows_;  // empty: all at once
  std::unordered_map<Node, Port> up_;      // used when limited
  std::unordered_map<Node, Port> down_;
  ProfileEvent profile_event_;
  bool following_ = false;                    // the profiles: changes of bandwidth are our own
  std::vector<simgrid::s4u::Link*> changed_;  // by profiles, at this moment
  std::unordered_map<const simgrid::s4u::Link*, double> bandwidths_Bps_;  // before that
  std::unordered_map<const simgrid::s4u::Link*, ChangedLink> changed_links_;
  const MachineFailures* failures_ = nullptr;
  bool closed_ = false;
  Timeline::MessageId arriving_ = 0;
  std::size_t in_flight_ = 0;
  std::vector<std::unique_ptr<Message>> all_messages_;
  std::vector<Message*> idle_;
  SwitchPorts ports_;  // used on a switch
  // Released by a send at a later moment: until that moment is over SimGrid may still look at them.
  std::vector<simgrid::s4u::CommPtr> finished_;
  double finished_at_s_ = 0;  // the last of them
  std::vector<LinkLoad> link_loads_;
  std::unordered_map<const simgrid::s4u::Link*, double> latencies_s_;  // taken off the links
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> link_index_;
  std::unordered_map<std::uint64_t, std::size_t> planned_index_;  // by planned_key()
  std::unordered_map<std::uint64_t, Route> routes_;
};

}  // namespace motley
