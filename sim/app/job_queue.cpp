#include "sim/app/job_queue.hpp"

#include <chrono>
#include <list>
#include <memory>
#include <poll.h>

#include "sim/core/child_process.hpp"
#include "sim/core/json.hpp"

namespace motley {
namespace {

struct Job {
  std::size_t run;
  int attempt;
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

/// Reports of a curve's thousands of points, but only a few a second.
std::function<void(const Progress&)> a_few_a_second(const ChildProcess::Report& report) {
  using Clock = std::chrono::steady_clock;
  return [&report, last = Clock::time_point()](const Progress& progress) mutable {
    const Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(100)) return;
    last = now;
    report(to_json(progress));
  };
}

/// The runs of a study on their way through the processes.
class JobQueue {
 public:
  JobQueue(const Study& study, const std::vector<std::size_t>& runs, ResultsFolder& folder,
           const JobOptions& options, const JobEvents& events)
      : study_(study),
        folder_(folder),
        options_(options),
        events_(events),
        pending_(runs.begin(), runs.end()) {}

  bool empty() const { return pending_.empty() && running_.empty(); }

  /// Starts what may be started; runs that another process does stay pending.
  void fill() {
    const bool again = options_.trace.window || options_.trace.paje;
    for (auto next = pending_.begin(); next != pending_.end() && running_.size() < options_.jobs;) {
      switch (folder_.claim(hash_of(*next), again)) {
        case ResultsFolder::Claim::elsewhere:
          ++next;
          break;
        case ResultsFolder::Claim::done:
          events_.finished(*next, *folder_.result(hash_of(*next)));
          next = pending_.erase(next);
          break;
        case ResultsFolder::Claim::ours:
          start(*next, 1);
          next = pending_.erase(next);
          break;
      }
    }
  }

  /// Waits for a moment, or until a process has something to say.
  void wait() {
    fds_.clear();
    for (const Job& job : running_) fds_.push_back({job.process->fd(), POLLIN, 0});
    poll(fds_.data(), fds_.size(), 200);
  }

  /// Takes what the processes have said.
  void take() {
    for (std::size_t i = fds_.size(); i-- > 0;) {
      if (fds_[i].revents == 0) continue;
      Job& job = running_[i];
      const bool open = job.process->read(
          [&](const Json& report) { events_.progressed(job.run, progress_from_json(report)); });
      if (open) continue;
      const std::size_t run = job.run;
      const int attempt = job.attempt;
      const ChildOutcome outcome = job.process->wait();
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      end(run, attempt, outcome);
    }
  }

 private:
  const std::string& hash_of(std::size_t run) const { return study_.table().runs[run].hash; }

  void start(std::size_t run, int attempt) {
    const Experiment& experiment = study_.experiment(run);
    const RunPlan& plan = study_.plan(run);
    running_.push_back(
        {run, attempt, std::make_unique<ChildProcess>([&, run](const ChildProcess::Report& report) {
           return to_json(experiment.run(plan, options_.threads, a_few_a_second(report),
                                         study_.table().runs[run].name, options_.trace));
         })});
    events_.started(run);
  }

  void end(std::size_t run, int attempt, const ChildOutcome& outcome) {
    if (outcome.died && attempt == 1) {
      events_.retried(run, outcome.complaint());
      start(run, attempt + 1);
      return;
    }
    RunResult result;
    if (outcome.result) {
      result = run_result_from_json(*outcome.result);
    } else {
      result.status = "failed";
      result.reason = (outcome.died ? "twice: " : "") + outcome.complaint();
    }
    folder_.store(hash_of(run), study_.description(run), result);
    events_.finished(run, result);
  }

  const Study& study_;
  ResultsFolder& folder_;
  const JobOptions& options_;
  const JobEvents& events_;
  std::list<std::size_t> pending_;
  std::vector<Job> running_;
  std::vector<pollfd> fds_;
};

}  // namespace

bool do_runs(const Study& study, const std::vector<std::size_t>& runs, ResultsFolder& folder,
             const JobOptions& options, const JobEvents& events) {
  JobQueue queue(study, runs, folder, options, events);
  for (queue.fill(); !queue.empty(); queue.fill()) {
    queue.wait();
    if (events.should_interrupt()) return false;  // the processes are killed with their objects
    queue.take();
    events.waited();
  }
  return true;
}

}  // namespace motley
