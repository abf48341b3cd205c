#pragma once

#include <functional>

#include "sim/engine/alarm.hpp"

namespace motley {

/// Where one actor waits for something to arrive.
class Arrival {
 public:
  explicit Arrival(Agenda& agenda) : alarm_(agenda) {}

  /// Returns true when `is_there` holds, or false when `until` comes before.
  bool wait(double until, std::function<bool()> is_there) {
    if (is_there()) return true;
    struct Forget {  // also when the actor is ended in its sleep
      std::function<bool()>& is_there;
      ~Forget() { is_there = nullptr; }
    };
    is_there_ = std::move(is_there);
    const Forget guard{is_there_};
    do {
      if (simgrid::s4u::Engine::get_clock() >= until) return false;
      alarm_.sleep_until(until);
    } while (!is_there_());
    return true;
  }

  /// To be called when something has arrived; in an actor or in SimGrid's kernel.
  void look() {
    if (is_there_ && is_there_()) alarm_.wake();
  }

 private:
  Alarm alarm_;
  std::function<bool()> is_there_;  // of whoever waits
};

}  // namespace motley
