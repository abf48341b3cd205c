#pragma once

#include <simgrid/s4u.hpp>

#include "sim/engine/agenda.hpp"

namespace motley {

/// Lets an actor sleep until a moment. Cheaper than SimGrid's sleep and execute, which are made for
/// hosts that change speed and share their time.
class Alarm final : private Agenda::Event {
 public:
  explicit Alarm(Agenda& agenda) : agenda_(agenda) {}

  /// For one actor at a time.
  void sleep_until(double time) {
    struct Cancel {  // when the actor is ended in its sleep
      Alarm& alarm;
      ~Cancel() { alarm.agenda_.cancel(alarm); }
    };
    const Cancel guard{*this};
    agenda_.set(time, *this);
    rings_->acquire();
  }

 private:
  void happen() override { rings_->release(); }

  Agenda& agenda_;
  simgrid::s4u::SemaphorePtr rings_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace motley
