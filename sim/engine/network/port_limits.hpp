#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>

namespace motley {

/// approximate.port_flows = k: at most k messages flow through a host's link in one direction, and the
/// others wait their turn, first for their sender's port, then for their receiver's. SimGrid's cost of
/// one message grows with those that share its links.
class PortLimits {
 public:
  using Node = std::size_t;

  /// Whoever passes derives from this.
  struct Passer {
    Node from = 0;
    Node to = 0;
    bool has_place = false;  ///< at both its ports; nobody waits for it
  };

  /// Empty: everybody passes at once.
  explicit PortLimits(const std::optional<std::size_t>& flows) : most_(flows) {}

  bool any() const { return most_.has_value(); }

  /// Whether it may flow now; else it waits.
  bool enter(Passer& passer);
  /// It is through. `flow` is called with everybody who may flow now because of that.
  template <class Flow>
  void leave(const Passer& passer, Flow flow) {
    Port& down = down_[passer.to];
    --down.flows;
    if (Passer* next = take_next(down)) flow(*next);
    leave_up(passer.from, flow);
  }
  /// The same for one that has entered and is lost, wherever it is.
  template <class Flow>
  void lose(Passer& passer, Flow flow) {
    if (passer.has_place)
      leave(passer, flow);
    else if (stop_waiting(passer))
      leave_up(passer.from, flow);
  }

 private:
  struct Port {
    std::size_t flows = 0;
    std::list<Passer*> queue;  // most are empty, and a list then takes no memory
  };

  bool enter(Port& port, Passer& passer);
  bool enter_down(Passer& passer);
  /// Whoever waits longest gets a place; null: nobody waits.
  static Passer* take_next(Port& port);
  /// Whether it had a place at its sender's port.
  bool stop_waiting(Passer& passer);
  template <class Flow>
  void leave_up(Node from, Flow flow) {
    Port& up = up_[from];
    --up.flows;
    Passer* next = take_next(up);
    if (next != nullptr && enter_down(*next)) flow(*next);
  }

  std::optional<std::size_t> most_;
  std::unordered_map<Node, Port> up_;
  std::unordered_map<Node, Port> down_;
};

}  // namespace motley
