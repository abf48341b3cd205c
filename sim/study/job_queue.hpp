#pragma once

#include <functional>
#include <vector>

#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// What happens to the runs of a study, for those who watch. Called in the parent, with the index
/// of the run in the study's table.
struct JobEvents {
  std::function<void(std::size_t run)> started;
  std::function<void(std::size_t run, const Progress&)> progressed;
  std::function<void(std::size_t run, const RunResult&)> finished;  ///< it is on the disk
  /// Done again for its trace, it failed or diverged; what was stored of it before is kept.
  std::function<void(std::size_t run, const RunResult&)> failed_again;
  /// The system allows no more than this many runs at once.
  std::function<void(std::size_t jobs, const std::string& reason)> limited;
  /// Its process died; it is tried once more.
  std::function<void(std::size_t run, const std::string& reason)> retried;
  /// Runs that can begin now, each once. Asked after every change, until there are none.
  std::function<std::vector<std::size_t>()> more;
  std::function<void()> waited;            ///< a few times a second
  std::function<bool()> should_interrupt;  ///< true: kill what runs and return
};

/// How runs are done; none of it changes a result.
struct JobOptions {
  unsigned jobs = 1;     ///< at once
  unsigned threads = 1;  ///< of each
  TraceRequest trace;    ///< if it asks for something, finished runs are done again
};

/// Does the runs of the study that `events.more` gives, each in a process of its own, and stores each
/// as soon as it ends.
/// Runs that another process does in the same folder are waited for, or taken over if that process
/// ends without them. A run that throws is finished with status failed and its reason; so is one
/// whose process dies twice, or whose result has a number that is not finite. When the system has
/// no room for a further process, fewer are run at once. Returns false when interrupted.
bool do_runs(const Study& study, ResultsFolder& folder, const JobOptions& options,
             const JobEvents& events);

}  // namespace motley
