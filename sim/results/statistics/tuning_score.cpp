#include "sim/results/statistics/tuning_score.hpp"

#include <cmath>
#include <limits>
#include <tuple>

namespace motley {
namespace {

/// Of those that are there.
class Mean {
 public:
  void add(const std::optional<double>& value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  std::optional<double> value() const {
    return count_ > 0 ? std::optional(sum_ / static_cast<double>(count_)) : std::nullopt;
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

TuningScore score_of(const std::vector<const RunResult*>& runs) {
  TuningScore score;
  score.seeds = runs.size();
  Mean log_time;
  Mean accuracy;
  Mean loss;
  for (const RunResult* run : runs) {
    if (run->status != RunStatus::ok) {
      ++score.broken;
      continue;
    }
    if (run->time_to_target_s) {
      ++score.reached;
      log_time.add(std::log(*run->time_to_target_s));
    }
    accuracy.add(run->best_test_accuracy);
    loss.add(run->final_test_loss);
  }
  if (log_time.value()) score.time_to_target_s = std::exp(*log_time.value());
  score.best_test_accuracy = accuracy.value();
  score.final_test_loss = loss.value();
  return score;
}

bool is_better(const TuningScore& a, const TuningScore& b, TuningGoal goal) {
  static constexpr double worst = std::numeric_limits<double>::infinity();
  const bool has_target = goal != TuningGoal::low_loss;
  const bool by_accuracy = goal == TuningGoal::accuracy_target;
  const auto rank = [has_target, by_accuracy](const TuningScore& s) {
    const bool all = has_target && s.reached == s.seeds;
    if (all)
      return std::tuple(std::size_t{0}, s.time_to_target_s.value_or(worst), std::size_t{0}, 0.0,
                        s.final_test_loss.value_or(worst));
    return std::tuple(has_target ? s.seeds - s.reached : 0, 0.0, s.broken,
                      by_accuracy ? -s.best_test_accuracy.value_or(-worst) : 0.0,
                      s.final_test_loss.value_or(worst));
  };
  return rank(a) < rank(b);
}

}  // namespace motley
