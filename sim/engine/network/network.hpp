#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/agenda.hpp"
#include "sim/engine/failures/machine_failures.hpp"
#include "sim/engine/network/link_loads.hpp"
#include "sim/engine/network/port_limits.hpp"
#include "sim/engine/network/switch_ports.hpp"
#include "sim/engine/platform/link_bandwidths.hpp"
#include "sim/engine/platform/platform.hpp"
#include "sim/engine/platform/routes.hpp"
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
/// With approximate.port_flows messages wait for their ports first: see PortLimits.
class Network final : private SwitchPorts::Owner {
 public:
  using Node = std::size_t;

  /// `on_switch`: every host has links of its own to one switch, whose bandwidths change only by
  /// change_bandwidths().
  /// `typical_bytes`: see LinkBandwidths.
  Network(const Platform& platform, const Scenario& scenario, Recorder& recorder, Agenda& agenda,
          std::size_t workers, bool on_switch, std::uint64_t typical_bytes);
  ~Network() override;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Sends and returns at once. `arrived` runs at the moment of arrival, outside of any actor: it
  /// may fill inboxes, not block. Counts bytes, and the transfer in the accounts of the workers at
  /// both ends. `latencies`: how many times the latency of the way is paid (fluid only). `version`: of
  /// the model that it brings or comes of, for the timeline. What is sent to a machine that is down is
  /// lost at once and costs nothing: then false.
  bool send(Node from, Node to, std::uint64_t bytes, std::function<void()> arrived,
            double latencies = 1, std::optional<std::uint64_t> version = {});

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
  std::vector<LinkResult> links(double end, const ClusterPlan& plan) const {
    return routes_.results(end, plan);
  }

 private:
  struct Message final : SwitchPorts::Flow, PortLimits::Passer {
    explicit Message(Network& owner) : network(owner) {}
    void happen() override;

    Network& network;
    std::uint64_t bytes = 0;
    const Routes::Route* route = nullptr;
    Timeline::MessageId traced = 0;
    bool background = false;
    bool under_way = false;    // not of others
    bool has_entered = false;  // its latency has passed
    bool on_links = false;
    std::function<void()> arrived;
    simgrid::s4u::CommPtr comm;  // while SimGrid has it
  };
  struct ProfileEvent final : Agenda::Event {
    explicit ProfileEvent(Network& owner) : network(owner) {}
    void happen() override { network.follow_profiles(); }

    Network& network;
  };

  // The way of a message after its latency: through its sender's port, its receiver's, and away.
  void enter(Message& message);
  void flow(Message& message);
  void leave(Message& message);
  void flow_in_simgrid(Message& message, double bytes);
  Message& new_message(Node from, Node to, std::uint64_t bytes);
  void depart(Message& message, double latencies);
  /// Starts what flows over risen links anew: SimGrid's flows never get faster.
  void restart_on(const std::vector<bool>& risen);
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
  void count_departure(Message& message, std::optional<std::uint64_t> version);
  void count_arrival(const Message& message);
  void lose(Message& message);

  const Platform& platform_;
  Recorder& recorder_;
  Agenda& agenda_;
  std::size_t workers_;
  bool fluid_;
  bool on_switch_;  // and fluid
  LinkBandwidths bandwidths_;
  LinkLoads loads_;
  std::vector<std::unique_ptr<Message>> all_messages_;  // outlive the ports, which link them
  std::vector<Message*> idle_;
  SwitchPorts ports_;  // used on a switch
  PortLimits limits_;
  Routes routes_;
  ProfileEvent profile_event_;
  bool following_ = false;                    // the profiles: changes of bandwidth are our own
  std::vector<simgrid::s4u::Link*> changed_;  // by profiles, at this moment
  const MachineFailures* failures_ = nullptr;
  bool closed_ = false;
  Timeline::MessageId arriving_ = 0;
  std::size_t in_flight_ = 0;
  // Released by a send at a later moment: until that moment is over SimGrid may still look at them.
  std::vector<simgrid::s4u::CommPtr> finished_;
  double finished_at_s_ = 0;  // the last of them
};

}  // namespace motley
