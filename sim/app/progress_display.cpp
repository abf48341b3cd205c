#include "sim/app/progress_display.hpp"

#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace motley {
namespace {

std::string duration(double seconds) {
  std::ostringstream text;
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600)
    text << whole / 3600 << " h " << whole % 3600 / 60 << " min";
  else if (whole >= 60)
    text << whole / 60 << " min " << whole % 60 << " s";
  else
    text << whole << " s";
  return text.str();
}

std::string quality(const Progress& progress) {
  std::ostringstream text;
  text << std::fixed;
  if (progress.test_accuracy)
    text << "accuracy " << std::setprecision(3) << *progress.test_accuracy;
  else if (progress.test_loss)
    text << "loss " << std::setprecision(4) << *progress.test_loss;
  else
    text << progress.updates << " updates";
  return text.str();
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

ProgressDisplay::ProgressDisplay(const std::vector<RunPlan>& runs, bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {
  for (const RunPlan& plan : runs) runs_.push_back({plan.label, State::waiting, {}});
}

ProgressDisplay::~ProgressDisplay() {
  clear();
}

void ProgressDisplay::clear() {
  if (terminal_ && !quiet_) std::cerr << "\r\033[K" << std::flush;
}

void ProgressDisplay::say(const std::string& text) {
  if (quiet_) return;
  clear();
  std::cerr << text << std::endl;
}

void ProgressDisplay::started(std::size_t run) {
  runs_[run].state = State::running;
}

void ProgressDisplay::progressed(std::size_t run, const Progress& progress) {
  runs_[run].progress = progress;
}

void ProgressDisplay::finished(std::size_t run, const RunResult& result) {
  runs_[run].state = State::done;
  runs_[run].progress.share = 1;
  if (result.status == "failed") ++failed_;
  std::ostringstream text;
  text << "  " << std::left << std::setw(16) << runs_[run].label << " ";
  if (result.status == "ok") {
    text << result.updates << " updates in " << std::setprecision(6) << result.virtual_s
         << " virtual s, " << std::setprecision(3) << result.wall_s << " s of wall time";
  } else {
    text << result.status << ": " << result.reason;
  }
  say(text.str());
}

std::string ProgressDisplay::line() const {
  std::size_t done = 0;
  double share = 0;
  std::ostringstream running;
  for (const Run& run : runs_) {
    share += run.state == State::waiting ? 0 : run.progress.share;
    if (run.state == State::done) ++done;
    if (run.state != State::running) continue;
    running << "  " << run.label << " " << std::lround(100 * run.progress.share) << " %";
    if (run.progress.share > 0) running << " (" << quality(run.progress) << ")";
  }
  const std::chrono::duration<double> passed = Clock::now() - start_;
  share /= static_cast<double>(runs_.size());
  std::ostringstream text;
  text << "  " << done << "/" << runs_.size() << " done";
  if (failed_ > 0) text << ", " << failed_ << " failed";
  if (share > 0.02) text << ", " << duration(passed.count() * (1 - share) / share) << " left";
  text << " |" << running.str();
  return text.str();
}

void ProgressDisplay::refresh() {
  if (quiet_) return;
  const auto interval = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(5);
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < interval) return;
  drawn_ = now;
  const std::string text = line();
  if (terminal_)
    std::cerr << "\r\033[K" << text.substr(0, terminal_width() - 1) << std::flush;
  else
    std::cerr << text << std::endl;
}

}  // namespace motley
