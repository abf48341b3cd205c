#include "sim/results/evaluation_schedule.hpp"

#include <cmath>

namespace motley {

bool EvaluationSchedule::is_due(double now, std::uint64_t updates, double progress) {
  double intervals = 0;
  if (every_.time_s) {
    intervals = std::floor(now / *every_.time_s);
  } else if (every_.updates) {
    const std::uint64_t whole = updates / *every_.updates;
    intervals = static_cast<double>(whole);
  } else {
    intervals = std::floor(progress * EvaluationInterval::automatic_points);
  }
  if (intervals <= done_) return false;
  done_ = intervals;
  return true;
}

}  // namespace motley
