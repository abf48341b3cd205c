#include "sim/cli/timing_display.hpp"

#include <algorithm>
#include <iostream>
#include <unistd.h>

#include "sim/base/format.hpp"
#include "sim/cli/duration.hpp"

namespace motley {

TimingDisplay::TimingDisplay(std::string study, ProgressStyle style, LiveView* live)
    : study_(std::move(study)), style_(style), live_(live), terminal_(isatty(STDERR_FILENO) != 0) {}

void TimingDisplay::clear() const {
  if (terminal_ && style_ == ProgressStyle::people) std::cerr << "\r\033[K" << std::flush;
}

void TimingDisplay::begins(std::size_t runs) {
  start_ = Clock::now();
  if (style_ != ProgressStyle::people || runs == 0) return;
  std::cerr << "timing " << counted(runs, "run") << " again on changed clusters\n";
}

void TimingDisplay::timed(std::size_t done, std::size_t total) {
  if (total == 0) return;
  const Clock::time_point now = Clock::now();
  // The timings take about as long as each other.
  const double passed_s = std::chrono::duration<double>(now - start_).count();
  const double left_s =
      passed_s * static_cast<double>(total - done) / static_cast<double>(std::max(done, size_t{1}));
  const bool is_edge = done == 0 || done == total;
  if (is_edge || now - told_ >= std::chrono::milliseconds(200)) {
    told_ = now;
    tell_programs({{"event", "timing"},
                   {"done", done},
                   {"total", total},
                   {"seconds_left", done == 0 ? Json() : Json(left_s)}});
  }
  const auto interval = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(30);
  if (style_ != ProgressStyle::people || done == 0 || now - drawn_ < interval) return;
  drawn_ = now;
  std::cerr << (terminal_ ? "\r\033[K" : "") << "  " << done << "/" << total << " timed, "
            << duration(left_s) << " left" << (terminal_ ? "" : "\n") << std::flush;
}

void TimingDisplay::tell_programs(Json line) const {
  if (style_ == ProgressStyle::json) std::cerr << line.dump() << std::endl;
  if (live_ == nullptr) return;
  line["name"] = study_;
  live_->tell(line.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace motley
