#pragma once

#include <optional>
#include <vector>

#include "sim/results/run_result.hpp"

namespace motley {

/// How good a candidate was over the seeds it was tried on. A run that diverged or failed has not
/// reached the target, whatever it reached before.
struct TuningScore {
  std::size_t seeds = 0;
  std::size_t broken = 0;                    ///< diverged or failed
  std::size_t reached = 0;                   ///< the target
  std::optional<double> time_to_target_s;    ///< geometric mean over those that reached it
  std::optional<double> best_test_accuracy;  ///< mean over those that are not broken
  std::optional<double> final_test_loss;     ///< mean over those that are not broken
};

/// What tuning is for: the time to a target of accuracy or of loss, or, without one, a low loss.
enum class TuningGoal { low_loss, accuracy_target, loss_target };

TuningScore score_of(const std::vector<const RunResult*>& runs);

/// Whether a is better than b, both over the same seeds. With a target: more seeds that reached it;
/// then, when all did, the shorter time and the lower final loss; otherwise fewer broken, the higher
/// best accuracy if that is the target's, the lower final loss. Without one: fewer broken, the lower
/// final loss.
bool is_better(const TuningScore& a, const TuningScore& b, TuningGoal goal);

}  // namespace motley
