#include "sim/study/tuning/pilot_run.hpp"

#include <chrono>
#include <poll.h>

#include "sim/base/child_process.hpp"
#include "sim/base/cpu_clock.hpp"
#include "sim/base/json.hpp"

namespace motley {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the run says of itself: how far it is, and how long that took.
struct Moment {
  double share = 0;
  double seconds = 0;
};

}  // namespace

std::optional<double> pilot_seconds(const Experiment& experiment, const RunPlan& plan) {
  constexpr double enough_s = 0.5;
  constexpr double most_s = 2;  // it may have said nothing before
  ChildProcess child([&](const ChildProcess::Report& report) {
    const double start = cpu_seconds();  // of one thread, whatever else the machine does
    double told = 0;
    experiment.run(plan, 1, [&](const Progress& progress) {
      const double now = cpu_seconds() - start;
      if (progress.share <= 0 || now - told < 0.01) return;
      told = now;
      report(Json::array({progress.share, now}));
    });
    return Json(cpu_seconds() - start);
  });
  const Clock::time_point start = Clock::now();
  std::optional<Moment> first;
  Moment last;
  while (seconds_since(start) < (first ? enough_s : most_s)) {
    pollfd fd = {child.fd(), POLLIN, 0};
    poll(&fd, 1, 20);
    if (fd.revents == 0) continue;
    const bool open = child.read([&](const Json& report) {
      last = {report[0], report[1]};
      if (!first) first = last;
    });
    if (open) continue;
    const ChildOutcome outcome = child.wait();
    return outcome.result ? std::optional(outcome.result->get<double>()) : std::nullopt;
  }
  if (!first) return std::nullopt;
  if (last.share <= first->share) return last.seconds / last.share;
  // What comes before the first moment is done once.
  const double pace = (last.seconds - first->seconds) / (last.share - first->share);
  return first->seconds + pace * (1 - first->share);
}

}  // namespace motley
