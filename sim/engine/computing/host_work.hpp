#pragma once

#include <limits>
#include <memory>
#include <optional>

#include <simgrid/s4u.hpp>

#include "sim/engine/alarm.hpp"
#include "sim/scenario/speed_curve.hpp"

namespace motley {

/// Work of a worker on its host, one piece at a time: virtual time passes in wait(). It goes on
/// while its worker does something else between two waits.
///
/// Where the host's speed changes as the scenario says, or never, the end is known at the start and
/// SimGrid is not asked. Elsewhere SimGrid executes it, and what changes by the scenario comes on top
/// of what SimGrid knows: at each change what is left begins anew, so many times larger as the host
/// has become slower; so somebody must be in wait() then. There an actor of its own does the
/// waiting, because what SimGrid is told to cancel while it hands out finished activities ends only
/// with the next event of the simulation.
class HostWork {
 public:
  static constexpr double forever = std::numeric_limits<double>::infinity();

  /// `constant_flops`: the speed, if it never changes but by the scenario, which `curve` says; null:
  /// never.
  HostWork(Agenda& agenda, simgrid::s4u::Host* host, std::optional<double> constant_flops,
           std::unique_ptr<SpeedCurve> curve = nullptr)
      : alarm_(agenda), host_(host), constant_flops_(constant_flops), curve_(std::move(curve)) {}

  /// Called by the worker's actor, as are wait() and stop().
  void start(double flops);
  /// Whether the scenario changes the speed.
  bool is_changing() const { return curve_ != nullptr; }
  /// When it would be done if it began now.
  double expected_end(double flops, double speed_flops) const;
  /// Returns when the work is done, `until` has come, somebody called wake(), or the speed has
  /// changed; tells whether the work is done. What happens at the same moment as the end happens
  /// after it.
  bool wait(double until = forever);
  /// Lets wait() return now; harmless when nobody waits. In an actor or in SimGrid's kernel.
  void wake() { alarm_.wake(); }
  /// Gives up what is not done.
  void stop();
  /// The same in SimGrid's kernel, when the worker's machine fails.
  void lose();

 private:
  bool is_done() const;
  void execute(double flops);
  /// Sleeps until then at the latest, or until the speed changes.
  void follow_curve(double until);

  Alarm alarm_;
  simgrid::s4u::Host* host_;
  std::optional<double> constant_flops_;
  std::unique_ptr<SpeedCurve> curve_;
  double factor_ = 1;           // with a curve and SimGrid, since the last change
  double flops_ = 0;            // in SimGrid, since then
  double end_s_ = 0;            // at constant speed
  simgrid::s4u::ExecPtr exec_;  // elsewhere
};

}  // namespace motley
