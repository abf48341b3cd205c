#include "sim/engine/simulate.hpp"

#include "sim/engine/run_report.hpp"
#include "sim/engine/world.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

void run_to_stop_time(World& world, double stop_time_s) {
  world.engine.engine().run_until(stop_time_s);
  if (world.ending.is_over()) return;
  const bool waits_for_a_moment = !world.agenda.has_only_background();
  if (world.standstill.is_stuck() && !waits_for_a_moment && !world.recovery.can_get_going())
    world.standstill.end_run();
  else
    world.ending.end_at(stop_time_s);
}

void run(World& world) {
  s4u::Engine::on_deadlock_cb([&world] {
    if (world.ending.is_over()) return;
    const double since = world.background.is_empty() ? world.clock() : world.standstill.since();
    world.ending.deadlock_at(since, world.standstill.who_waits_for_whom(since));
  });
  world.global_model.evaluate(0);
  world.failures.begin();
  world.bodies.start();
  world.background.start();
  // The initial model may have reached the target already.
  if (world.recorder.stop().stopped()) world.ending.end_at(0);
  if (world.setup.scenario.stop.time_s) {
    run_to_stop_time(world, *world.setup.scenario.stop.time_s);
  }
  world.engine.engine().run();
  world.ending.rethrow_error();
}

}  // namespace

RunResult simulate(const SimulationSetup& setup, const Algorithm& algorithm) {
  World world(setup, algorithm);
  run(world);
  RunResult result = report_of(world);
  if (setup.trace && setup.on_timeline) setup.on_timeline(*world.recorder.timeline());
  return result;
}

}  // namespace motley
