#pragma once

#include <chrono>
#include <string>

#include "sim/base/json.hpp"
#include "sim/cli/live_view.hpp"
#include "sim/cli/progress_display.hpp"

namespace motley {

/// Tells how far the timing of runs on changed clusters is, as ProgressDisplay tells it of the runs.
class TimingDisplay {
 public:
  TimingDisplay(std::string study, ProgressStyle style, LiveView* live = nullptr);

  void begins(std::size_t runs);
  void timed(std::size_t done, std::size_t total);
  /// Removes the rewritten line, so that something else can be printed.
  void clear() const;

 private:
  using Clock = std::chrono::steady_clock;

  void tell_programs(Json line) const;

  std::string study_;
  ProgressStyle style_;
  LiveView* live_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point told_ = Clock::now();   // to programs
  Clock::time_point drawn_ = Clock::now();  // for people
};

}  // namespace motley
