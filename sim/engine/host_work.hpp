#pragma once

#include <limits>
#include <optional>

#include <simgrid/s4u.hpp>

#include "sim/engine/alarm.hpp"

namespace motley {

/// Work of a worker on its host, one piece at a time: virtual time passes in wait(). It goes on
/// while its worker does something else between two waits.
///
/// Where the host's speed never changes the end is known at the start and SimGrid is not asked.
/// Elsewhere SimGrid executes it. There an actor of its own does the waiting, because what SimGrid
/// is told to cancel while it hands out finished activities ends only with the next event of the
/// simulation.
class HostWork {
 public:
  static constexpr double forever = std::numeric_limits<double>::infinity();

  /// `constant_flops`: the speed, if it never changes.
  HostWork(Agenda& agenda, simgrid::s4u::Host* host, std::optional<double> constant_flops)
      : alarm_(agenda), host_(host), constant_flops_(constant_flops) {}

  /// Called by the worker's actor, as are wait() and stop().
  void start(double flops);
  /// Returns when the work is done, `until` has come or somebody called wake(); tells whether the
  /// work is done. What happens at the same moment as the end happens after it.
  bool wait(double until = forever);
  /// Lets wait() return now; harmless when nobody waits. In an actor or in SimGrid's kernel.
  void wake() { alarm_.wake(); }
  /// Gives up what is not done.
  void stop();

 private:
  bool is_done() const;

  Alarm alarm_;
  simgrid::s4u::Host* host_;
  std::optional<double> constant_flops_;
  double flops_ = 0;
  double end_s_ = 0;            // at constant speed
  simgrid::s4u::ExecPtr exec_;  // elsewhere
};

}  // namespace motley
