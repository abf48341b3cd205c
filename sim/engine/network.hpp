#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/core/record/recorder.hpp"
#include "sim/engine/platform.hpp"

namespace motley {

/// Messages between nodes in virtual time. A message starts when it is sent, whatever the receiver
/// does, shares links with all others, and is handed over at the moment it arrives: a slow message
/// never holds up a fast one sent after it, as a SimGrid mailbox would.
///
/// fluid: a message first pays the latencies of its links, then flows at its max-min fair share.
/// SimGrid would share a link in inverse proportion to the flows' latencies, so there the latencies
/// are taken off the links and paid here. tcp: everything is SimGrid's.
class Network {
 public:
  using Node = std::size_t;

  Network(const Platform& platform, Scenario::Network model, Recorder& recorder,
          std::size_t workers);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// Sends and returns at once. `arrived` runs at the moment of arrival, outside of any actor: it
  /// may fill inboxes, not block. Counts bytes, and the transfer in the accounts of the workers at
  /// both ends.
  void send(Node from, Node to, std::uint64_t bytes, std::function<void()> arrived);

  /// Nothing arrives any more.
  void close() { closed_ = true; }
  std::size_t in_flight() const { return in_flight_; }
  std::vector<LinkResult> links() const;

 private:
  struct Message {
    Node from = 0;
    Node to = 0;
    std::uint64_t bytes = 0;
    std::function<void()> arrived;
    simgrid::s4u::CommPtr comm;
  };
  struct LinkUse {
    simgrid::s4u::Link* link;
    double bytes;
  };
  struct Route {
    std::vector<std::size_t> links;
    double latency_s = 0;  ///< to be paid here
  };

  void flow(Message& message);
  void complete(Message& message);
  const Route& route(Node from, Node to);

  const Platform& platform_;
  Recorder& recorder_;
  std::size_t workers_;
  bool closed_ = false;
  std::size_t in_flight_ = 0;
  std::vector<std::unique_ptr<Message>> all_messages_;
  std::vector<Message*> idle_;
  std::vector<simgrid::s4u::CommPtr>
      finished_;  // released at the next send, not inside their own signal
  std::vector<LinkUse> link_uses_;
  std::unordered_map<const simgrid::s4u::Link*, double> latencies_s_;  // taken off the links
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> link_index_;
  std::unordered_map<std::uint64_t, Route> routes_;
};

}  // namespace motley
