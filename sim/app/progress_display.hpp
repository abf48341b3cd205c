#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sim/app/experiment.hpp"

namespace motley {

/// Tells on stderr how far the runs are: one line that is rewritten on a terminal, plain lines
/// elsewhere.
class ProgressDisplay {
 public:
  ProgressDisplay(const std::vector<RunPlan>& runs, bool quiet);
  ~ProgressDisplay();

  void started(std::size_t run);
  void progressed(std::size_t run, const Progress& progress);
  void finished(std::size_t run, const RunResult& result);
  /// Redraws when it is time to.
  void refresh();
  /// Removes the rewritten line, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { waiting, running, done };
  struct Run {
    std::string label;
    State state = State::waiting;
    Progress progress;
  };

  std::string line() const;
  void say(const std::string& text);

  std::vector<Run> runs_;
  bool quiet_;
  bool terminal_;
  std::size_t failed_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = Clock::now();
};

}  // namespace motley
