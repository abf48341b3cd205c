#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/app/experiment.hpp"

namespace motley {

/// What happens to the runs of an experiment, for those who watch and write. Called in the parent.
struct JobEvents {
  std::function<void(std::size_t run)> started;
  std::function<void(std::size_t run, const Progress&)> progressed;
  std::function<void(std::size_t run, const RunResult&)> finished;
  std::function<void()> waited;            ///< a few times a second
  std::function<bool()> should_interrupt;  ///< true: kill what runs and return
};

/// Does all runs, each in a process of its own, `jobs` at once with `threads` threads each. A run
/// that throws or dies is finished with status failed and its reason. Returns false when
/// interrupted.
bool do_runs(const Experiment& experiment, unsigned jobs, unsigned threads, const JobEvents& events,
             const TraceRequest& trace = {});

}  // namespace motley
