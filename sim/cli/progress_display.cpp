#include "sim/cli/progress_display.hpp"

#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sim/cli/duration.hpp"

namespace motley {
namespace {

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

ProgressDisplay::ProgressDisplay(const Study& study, std::size_t done_before, ProgressStyle style,
                                 LiveView* live)
    : study_(study),
      style_(style),
      live_(live),
      terminal_(isatty(STDERR_FILENO) != 0),
      done_(done_before) {}

void ProgressDisplay::expect(std::size_t runs, double cost) {
  total_ = done_ + runs;
  cost_of_all_ = cost_of_done_ + cost;
}

ProgressDisplay::~ProgressDisplay() {
  clear();
  tell_live();
}

void ProgressDisplay::clear() {
  if (terminal_ && style_ == ProgressStyle::people) std::cerr << "\r\033[K" << std::flush;
}

Json ProgressDisplay::state(const char* event) const {
  const std::optional<double> left = time_left();
  return {{"event", event},
          {"done", done_},
          {"total", total_},
          {"failed", failed_},
          {"seconds_left", left ? Json(*left) : Json()}};
}

Json ProgressDisplay::running_json() const {
  Json running = Json::array();
  for (const auto& [run, progress] : running_) {
    running.push_back({{"run", name_of(run)},
                       {"share", progress.share},
                       {"virtual_s", progress.virtual_s},
                       {"updates", progress.updates},
                       {"quality", quality(progress)}});
  }
  return running;
}

void ProgressDisplay::emit(const char* event, const Json& more) {
  if (style_ != ProgressStyle::json) return;
  Json line = state(event);
  line.update(more);
  std::cerr << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

void ProgressDisplay::refresh_live() {
  const Clock::time_point now = Clock::now();
  if (now - told_ < std::chrono::milliseconds(200)) return;
  told_ = now;
  tell_live();
}

void ProgressDisplay::tell_live() const {
  if (live_ == nullptr) return;
  Json line = state("progress");
  line["name"] = study_.name();
  line["running"] = running_json();
  live_->tell(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void ProgressDisplay::say(const std::string& text) {
  if (style_ != ProgressStyle::people) return;
  clear();
  std::cerr << text << std::endl;
}

void ProgressDisplay::started(std::size_t run) {
  running_[run] = {};
}

void ProgressDisplay::progressed(std::size_t run, const Progress& progress) {
  running_[run] = progress;
}

void ProgressDisplay::retried(std::size_t run, const std::string& reason) {
  say("  " + name_of(run) + " is tried once more: " + reason);
  emit("retried", {{"run", name_of(run)}, {"reason", reason}});
}

void ProgressDisplay::finished(std::size_t run, const RunResult& result) {
  running_.erase(run);
  ++done_;
  cost_of_done_ += study_.cost(run);
  if (result.status == RunStatus::failed) ++failed_;
  if (run < study_.size()) remember_best(run, result);
  std::ostringstream text;
  text << "  ";
  if (!terminal_) text << done_ << "/" << total_ << " ";
  text << std::left << std::setw(16) << name_of(run) << " ";
  if (result.status == RunStatus::ok) {
    text << result.updates << " updates in " << std::setprecision(6) << result.virtual_s
         << " virtual s, " << std::setprecision(3) << result.wall_s << " s wall time";
  } else {
    text << to_text(result.status) << ": " << result.reason;
  }
  say(text.str());
  emit("finished", {{"run", name_of(run)},
                    {"status", to_text(result.status)},
                    {"reason", result.reason},
                    {"updates", result.updates},
                    {"virtual_s", result.virtual_s},
                    {"wall_s", result.wall_s}});
}

void ProgressDisplay::failed_again(std::size_t run, const RunResult& result) {
  running_.erase(run);
  ++done_;
  cost_of_done_ += study_.cost(run);
  say("  " + name_of(run) + " has no trace: it " + to_text(result.status) + ": " + result.reason +
      "; its stored result is kept");
  emit("untraced", {{"run", name_of(run)}, {"reason", result.reason}});
}

void ProgressDisplay::limited(std::size_t jobs, const std::string& reason) {
  say("  no more than " + std::to_string(jobs) + " at once: " + reason);
  emit("limited", {{"jobs", jobs}, {"reason", reason}});
}

void ProgressDisplay::remember_best(std::size_t run, const RunResult& result) {
  if (result.status != RunStatus::ok) return;
  std::ostringstream text;
  Best best{name_of(run), "", {}};
  if (result.time_to_target_s) {
    best.rank = {0, *result.time_to_target_s};
    text << std::setprecision(4) << "reached the target at " << *result.time_to_target_s << " s";
  } else if (result.best_test_accuracy) {
    best.rank = {1, -*result.best_test_accuracy};
    text << "accuracy " << std::fixed << std::setprecision(3) << *result.best_test_accuracy;
  } else if (result.final_test_loss) {
    best.rank = {1, *result.final_test_loss};
    text << "loss " << std::setprecision(4) << *result.final_test_loss;
  } else {
    return;
  }
  best.text = text.str();
  if (!best_ || best.rank < best_->rank) best_ = best;
}

std::optional<double> ProgressDisplay::time_left() const {
  double done = cost_of_done_;
  for (const auto& [run, progress] : running_) done += progress.share * study_.cost(run);
  const double share = done / cost_of_all_;
  if (!(share > 0.01)) return std::nullopt;
  const std::chrono::duration<double> passed = Clock::now() - start_;
  return passed.count() * (1 - share) / share;
}

std::string ProgressDisplay::line() const {
  std::ostringstream text;
  text << "  " << done_ << "/" << total_ << " done, " << running_.size() << " running, " << failed_
       << " failed";
  if (const std::optional<double> left = time_left()) text << ", " << duration(*left) << " left";
  if (best_) text << ", best " << best_->run << " " << best_->text;
  text << " |";
  for (const auto& [run, progress] : running_) {
    text << "  " << name_of(run) << " " << std::lround(100 * progress.share) << " %";
    if (progress.share > 0) text << " (" << quality(progress) << ")";
  }
  return text.str();
}

void ProgressDisplay::refresh() {
  refresh_live();
  if (style_ == ProgressStyle::none) return;
  const bool often = terminal_ || style_ == ProgressStyle::json;
  const auto interval = often ? std::chrono::milliseconds(200) : std::chrono::seconds(30);
  const Clock::time_point now = Clock::now();
  if (now - drawn_ < interval) return;
  drawn_ = now;
  if (style_ == ProgressStyle::json) {
    emit("progress", {{"running", running_json()}});
    return;
  }
  const std::string text = line();
  if (terminal_)
    std::cerr << "\r\033[K" << text.substr(0, terminal_width() - 1) << std::flush;
  else
    std::cerr << text << std::endl;
}

}  // namespace motley
