#include "sim/study/job_queue.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <list>
#include <memory>
#include <poll.h>
#include <system_error>
#include <unistd.h>

#include "sim/base/child_process.hpp"
#include "sim/base/json.hpp"
#include "sim/results/finite_result.hpp"

namespace motley {
namespace {

struct Pending {
  std::size_t run;
  int attempt;
};

struct Job {
  std::size_t run;
  int attempt;
  std::unique_ptr<ChildProcess> process;
};

Json to_json(const Progress& p) {
  return {p.share, p.virtual_s, p.updates, p.test_accuracy ? Json(*p.test_accuracy) : Json(),
          p.test_loss ? Json(*p.test_loss) : Json()};
}

/// What is not finite has become null on the way: then it is not known how far the run is.
Progress progress_from_json(const Json& json) {
  const auto number = [&json](std::size_t i) {
    return json[i].is_null() ? std::nullopt : std::optional(json[i].get<double>());
  };
  Progress p;
  p.share = number(0).value_or(0);
  p.virtual_s = number(1).value_or(0);
  p.updates = json[2];
  p.test_accuracy = number(3);
  p.test_loss = number(4);
  return p;
}

RunResult failed_for(const std::string& reason) {
  RunResult result;
  result.status = RunStatus::failed;
  result.reason = reason;
  return result;
}

RunResult result_of(const ChildOutcome& outcome) {
  if (!outcome.result) return failed_for((outcome.died ? "twice: " : "") + outcome.complaint());
  try {
    return run_result_from_json(*outcome.result);
  } catch (const InputError& e) {
    return failed_for(std::string("its process answered with something that is not a result: ") +
                      e.what());
  }
}

/// Whether the system lacks what another process takes, which may change when one ends.
bool is_shortage(const std::error_code& error) {
  return error == std::errc::too_many_files_open ||
         error == std::errc::too_many_files_open_in_system ||
         error == std::errc::resource_unavailable_try_again ||
         error == std::errc::not_enough_memory;
}

/// Throws unless this many files more could be opened.
void need_descriptors(std::size_t count) {
  std::vector<int> taken;
  int error = 0;
  while (taken.size() < count && error == 0) {
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
      taken.push_back(fd);
    else
      error = errno;
  }
  for (const int fd : taken) close(fd);
  if (error != 0) throw std::system_error(error, std::generic_category());
}

/// Reports of a curve's thousands of points, but only a few per second.
std::function<void(const Progress&)> a_few_per_second(const ChildProcess::Report& report) {
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
  JobQueue(const Study& study, ResultsFolder& folder, const JobOptions& options,
           const JobEvents& events)
      : study_(study), folder_(folder), options_(options), events_(events), most_(options.jobs) {}

  void add(const std::vector<std::size_t>& runs) {
    for (const std::size_t run : runs) pending_.push_back({run, 1});
  }

  bool empty() const { return pending_.empty() && running_.empty(); }

  /// Starts what may be started; runs that another process does stay pending.
  void fill() {
    for (auto next = pending_.begin(); next != pending_.end() && running_.size() < most_;) {
      switch (folder_.claim(hash_of(next->run), is_traced(next->run))) {
        case ResultsFolder::Claim::elsewhere:
          ++next;
          break;
        case ResultsFolder::Claim::done:
          events_.finished(next->run, *folder_.result(hash_of(next->run)));
          next = pending_.erase(next);
          break;
        case ResultsFolder::Claim::ours:
          if (start_if_possible(*next)) next = pending_.erase(next);
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
  const std::string& hash_of(std::size_t run) const { return study_.entry(run).hash; }
  /// Runs that only choose parameters are not.
  bool is_traced(std::size_t run) const {
    return (options_.trace.window || options_.trace.paje) && run < study_.size();
  }

  /// When the system has no room for one more, there are fewer at once from now on.
  bool start_if_possible(const Pending& next) {
    try {
      // Its pipe and what it says on stderr, and some to write results meanwhile.
      if (!running_.empty()) need_descriptors(8);
      start(next.run, next.attempt);
      return true;
    } catch (const std::system_error& e) {
      if (running_.empty() || !is_shortage(e.code())) throw;
      folder_.give_back(hash_of(next.run));
      most_ = running_.size();
      if (!limited_) events_.limited(most_, e.code().message());
      limited_ = true;
      return false;
    }
  }

  void start(std::size_t run, int attempt) {
    const Experiment& experiment = study_.experiment(run);
    const RunPlan plan = study_.plan(run);
    const TraceRequest trace = is_traced(run) ? options_.trace : TraceRequest();
    running_.push_back(
        {run, attempt, std::make_unique<ChildProcess>([&, run](const ChildProcess::Report& report) {
           return to_json(failed_unless_finite(experiment.run(
               plan, options_.threads, a_few_per_second(report), study_.entry(run).name, trace)));
         })});
    events_.started(run);
  }

  void end(std::size_t run, int attempt, const ChildOutcome& outcome) {
    if (outcome.died && attempt == 1) {
      events_.retried(run, outcome.complaint());
      pending_.push_front({run, attempt + 1});
      return;
    }
    const RunResult result = result_of(outcome);
    if (folder_.store(hash_of(run), study_.description(run), result))
      events_.finished(run, result);
    else
      events_.failed_again(run, result);
  }

  const Study& study_;
  ResultsFolder& folder_;
  const JobOptions& options_;
  const JobEvents& events_;
  std::size_t most_;      // at once
  bool limited_ = false;  // and it has been said
  std::list<Pending> pending_;
  std::vector<Job> running_;
  std::vector<pollfd> fds_;
};

}  // namespace

bool do_runs(const Study& study, ResultsFolder& folder, const JobOptions& options,
             const JobEvents& events) {
  JobQueue queue(study, folder, options, events);
  for (;;) {
    const std::vector<std::size_t> more = events.more();
    queue.add(more);
    queue.fill();
    // What another process had done already may let more begin.
    if (queue.empty() && more.empty()) return true;
    if (queue.empty()) continue;
    queue.wait();
    if (events.should_interrupt()) return false;  // the processes are killed with their objects
    queue.take();
    events.waited();
  }
}

}  // namespace motley
