#include "sim/app/job_queue.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <poll.h>

#include "sim/core/child_process.hpp"

namespace motley {
namespace {

struct Job {
  std::size_t run;
  std::unique_ptr<ChildProcess> process;
};

Json to_json(const Progress& p) {
  return {p.share, p.virtual_s, p.updates, p.test_accuracy ? Json(*p.test_accuracy) : Json(),
          p.test_loss ? Json(*p.test_loss) : Json()};
}

Progress progress_from_json(const Json& json) {
  Progress p;
  p.share = json[0];
  p.virtual_s = json[1];
  p.updates = json[2];
  if (!json[3].is_null()) p.test_accuracy = json[3].get<double>();
  if (!json[4].is_null()) p.test_loss = json[4].get<double>();
  return p;
}

std::unique_ptr<ChildProcess> start(const Experiment& experiment, const RunPlan& plan,
                                    unsigned threads, const TraceRequest& trace) {
  return std::make_unique<ChildProcess>([&](const ChildProcess::Report& report) {
    // A curve may have thousands of points; a watcher needs a few a second.
    using Clock = std::chrono::steady_clock;
    Clock::time_point last{};
    const auto on_progress = [&](const Progress& progress) {
      const Clock::time_point now = Clock::now();
      if (now - last < std::chrono::milliseconds(100)) return;
      last = now;
      report(to_json(progress));
    };
    return motley::to_json(experiment.run(plan, threads, on_progress, trace));
  });
}

RunResult result_of(const Experiment& experiment, const RunPlan& plan,
                    const ChildOutcome& outcome) {
  if (outcome.result) return run_result_from_json(*outcome.result);
  RunResult failed;
  failed.run = plan.run;
  failed.algorithm = plan.label;
  failed.seed = experiment.scenario().seed;
  failed.status = "failed";
  failed.reason = outcome.complaint();
  return failed;
}

}  // namespace

bool do_runs(const Experiment& experiment, unsigned jobs, unsigned threads, const JobEvents& events,
             const TraceRequest& trace) {
  const std::vector<RunPlan>& plans = experiment.runs();
  std::vector<Job> running;
  std::size_t next = 0;
  while (next < plans.size() || !running.empty()) {
    while (next < plans.size() && running.size() < jobs) {
      running.push_back({next, start(experiment, plans[next], threads, trace)});
      events.started(next++);
    }
    std::vector<pollfd> fds;
    for (const Job& job : running) fds.push_back({job.process->fd(), POLLIN, 0});
    poll(fds.data(), fds.size(), 200);
    if (events.should_interrupt()) return false;  // the processes are killed with their objects
    for (std::size_t i = fds.size(); i-- > 0;) {
      if (fds[i].revents == 0) continue;
      Job& job = running[i];
      const bool open = job.process->read(
          [&](const Json& report) { events.progressed(job.run, progress_from_json(report)); });
      if (open) continue;
      const std::size_t run = job.run;
      const RunResult result = result_of(experiment, plans[run], job.process->wait());
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      events.finished(run, result);
    }
    events.waited();
  }
  return true;
}

}  // namespace motley
