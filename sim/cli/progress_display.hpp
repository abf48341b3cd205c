#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/cli/live_view.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// For whom progress is told.
enum class ProgressStyle {
  none,
  people,  ///< one line that is rewritten on a terminal, plain lines elsewhere
  json,    ///< one object per line, for programs
};

/// Tells on stderr how far the runs are.
class ProgressDisplay {
 public:
  /// `done_before` runs are done already.
  ProgressDisplay(const Study& study, std::size_t done_before, ProgressStyle style,
                  LiveView* live = nullptr);
  ~ProgressDisplay();

  /// So much is to be done, with what is running.
  void expect(std::size_t runs, double cost);
  void started(std::size_t run);
  void progressed(std::size_t run, const Progress& progress);
  void retried(std::size_t run, const std::string& reason);
  void finished(std::size_t run, const RunResult& result);
  void failed_again(std::size_t run, const RunResult& result);
  void limited(std::size_t jobs, const std::string& reason);
  /// Redraws when it is time to.
  void refresh();
  /// Removes the rewritten line, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  /// The best finished run: by its time to the target, else by accuracy, else by loss.
  struct Best {
    std::string run;
    std::string text;
    std::pair<int, double> rank;  ///< lower is better; who reached the target comes first
  };

  const std::string& name_of(std::size_t run) const { return study_.entry(run).name; }
  void remember_best(std::size_t run, const RunResult& result);
  /// In seconds; empty while that cannot be told.
  std::optional<double> time_left() const;
  std::string line() const;
  void say(const std::string& text);
  /// What happened, and how far all is.
  Json state(const char* event) const;
  /// The same as a line of its own, for programs.
  void emit(const char* event, const Json& more);
  Json running_json() const;
  void refresh_live();
  void tell_live() const;

  const Study& study_;
  ProgressStyle style_;
  LiveView* live_;
  bool terminal_;
  std::size_t total_ = 0;
  std::size_t done_;
  std::size_t failed_ = 0;
  std::map<std::size_t, Progress> running_;
  double cost_of_all_ = 0;   // of what this process has to do
  double cost_of_done_ = 0;  // of what has been done since the start
  std::optional<Best> best_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = Clock::now();
  Clock::time_point told_ = {};  // to the live view
};

}  // namespace motley
