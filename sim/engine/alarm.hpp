#pragma once

#include <simgrid/s4u.hpp>

#include "sim/engine/agenda.hpp"

namespace motley {

/// Lets an actor sleep until a moment, or until somebody wakes it. Cheaper than SimGrid's sleep and
/// execute, which are made for hosts that change speed and share their time.
class Alarm final : private Agenda::Event {
 public:
  explicit Alarm(Agenda& agenda) : agenda_(agenda) {}

  double now() const { return agenda_.now(); }

  /// For one actor at a time.
  void sleep_until(double time) {
    struct Cancel {  // when the actor is ended in its sleep
      Alarm& alarm;
      ~Cancel() {
        alarm.asleep_ = false;
        alarm.agenda_.cancel(alarm);
      }
    };
    const Cancel guard{*this};
    asleep_ = true;
    if (time < std::numeric_limits<double>::infinity()) agenda_.set(time, *this);
    rings_->acquire();
  }

  /// Ends the sleep at this moment; harmless when nobody sleeps. In an actor or in SimGrid's
  /// kernel.
  void wake() {
    if (!asleep_) return;
    asleep_ = false;
    agenda_.cancel(*this);
    rings_->release();
  }

 private:
  void happen() override { wake(); }

  Agenda& agenda_;
  bool asleep_ = false;
  simgrid::s4u::SemaphorePtr rings_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace motley
