#pragma once

#include "sim/engine/alarm.hpp"

namespace motley {

/// Where one actor waits for something to arrive.
class Arrival {
 public:
  explicit Arrival(Agenda& agenda) : alarm_(agenda) {}

  /// Returns true when `is_there()` holds, or false when `until` comes before.
  template <class F>
  bool wait(double until, const F& is_there) {
    if (is_there()) return true;
    struct Forget {  // also when the actor is ended in its sleep
      Arrival& arrival;
      ~Forget() { arrival.asks_ = nullptr; }
    };
    const Forget guard{*this};
    // The question stays on the stack of whoever waits, rather than in a std::function: this is done
    // for every message.
    asked_ = &is_there;
    asks_ = [](const void* asked) { return (*static_cast<const F*>(asked))(); };
    do {
      if (alarm_.now() >= until) return false;
      alarm_.sleep_until(until);
    } while (!is_there());
    return true;
  }

  /// To be called when something has arrived; in an actor or in SimGrid's kernel.
  void look() {
    if (asks_ != nullptr && asks_(asked_)) alarm_.wake();
  }

 private:
  Alarm alarm_;
  const void* asked_ = nullptr;  // the is_there of whoever waits
  bool (*asks_)(const void* asked) = nullptr;
};

}  // namespace motley
