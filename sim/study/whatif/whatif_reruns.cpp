#include "sim/study/whatif/whatif_reruns.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <poll.h>
#include <system_error>

#include "sim/base/child_process.hpp"
#include "sim/base/json.hpp"

namespace motley {
namespace {

Json to_json(const Throughput& t) {
  return {t.updates, t.samples, t.virtual_s};
}

/// Those at work.
class Reruns {
 public:
  Reruns(const Study& study, std::vector<WhatIf>& rows, unsigned jobs)
      : study_(study), rows_(rows), jobs_(jobs) {}

  std::size_t running() const { return running_.size(); }

  /// False when so many are at work that one must end first.
  bool start(const PlannedRerun& planned) {
    if (running_.size() >= jobs_) return false;
    // Made here, and not in every child.
    const Experiment& experiment = study_.experiment(planned.run);
    try {
      running_.push_back(
          {planned.row, std::make_unique<ChildProcess>([&](const ChildProcess::Report&) {
             return to_json(planned.rerun(experiment));
           })});
    } catch (const std::system_error& e) {  // the system has no room for one more
      jobs_ = std::max<std::size_t>(1, running_.size());
      if (!running_.empty()) return false;
      rows_[planned.row].why_not = e.what();
    }
    return true;
  }

  /// Waits for a moment, or until one of them has something to say, and takes that.
  void take() {
    std::vector<pollfd> fds;
    for (const Rerun& rerun : running_) fds.push_back({rerun.process->fd(), POLLIN, 0});
    poll(fds.data(), fds.size(), 200);
    auto next = running_.begin();
    for (const pollfd& fd : fds) {
      const auto rerun = next++;
      if (fd.revents == 0 || rerun->process->read([](const Json&) {})) continue;
      end(rows_[rerun->row], rerun->process->wait());
      running_.erase(rerun);
    }
  }

 private:
  struct Rerun {
    std::size_t row;
    std::unique_ptr<ChildProcess> process;
  };

  static void end(WhatIf& row, const ChildOutcome& outcome) {
    if (outcome.result) {
      const Json& t = *outcome.result;
      row.throughput = Throughput{t.at(0), t.at(1), t.at(2)};
    } else {
      row.why_not = outcome.complaint();
    }
  }

  const Study& study_;
  std::vector<WhatIf>& rows_;
  std::size_t jobs_;
  std::list<Rerun> running_;
};

}  // namespace

bool do_reruns(const Study& study, const std::vector<PlannedRerun>& planned,
               std::vector<WhatIf>& rows, unsigned jobs,
               const std::function<void(std::size_t done)>& timed,
               const std::function<bool()>& should_interrupt) {
  Reruns reruns(study, rows, jobs);
  std::size_t started = 0;
  while (started < planned.size() || reruns.running() > 0) {
    if (started < planned.size() && reruns.start(planned[started])) {
      ++started;
      continue;
    }
    timed(started - reruns.running());
    reruns.take();
    if (should_interrupt()) return false;
  }
  timed(planned.size());
  return true;
}

}  // namespace motley
