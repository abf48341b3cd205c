#include "sim/results/run_warnings.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/format.hpp"

namespace motley {
namespace {

/// Whether the test loss is at every point what it was at first, but for rounding.
bool never_moved(const RunResult& result) {
  constexpr double rounding = 1e-6;
  if (result.updates == 0 || result.curve.empty() || !result.curve.front().test_loss) return false;
  const double first = *result.curve.front().test_loss;
  return std::all_of(result.curve.begin(), result.curve.end(), [first](const CurvePoint& point) {
    return point.test_loss && std::abs(*point.test_loss - first) <= rounding * std::abs(first);
  });
}

bool never_acted(const RunResult& result, const std::string& acted) {
  return result.discarded_s() == 0 &&
         std::none_of(result.decisions.begin(), result.decisions.end(), [&](const Decision& made) {
           return made.quantity == acted && made.time_s > 0;
         });
}

}  // namespace

std::vector<RunWarning> warnings_of(const RunResult& result, const RunSetting& setting) {
  std::vector<RunWarning> warnings;
  if (result.status != RunStatus::ok) return warnings;
  const bool learns = result.best_test_accuracy && setting.classes > 0;
  if (result.updates == 0) {
    if (!result.time_to_target_s) {
      warnings.push_back({"no_update", "finished no update: is /stop too early?"});
    }
  } else if (never_moved(result)) {
    warnings.push_back({"never_moved", "never moved: after " + counted(result.updates, "update") +
                                           " the test loss is that of the initial model; is "
                                           "step_size too small?"});
  } else if (learns && *result.best_test_accuracy < 1.5 / static_cast<double>(setting.classes)) {
    warnings.push_back({"chance_level", "never left chance (best accuracy " +
                                            fixed(*result.best_test_accuracy, 3) + " with " +
                                            std::to_string(setting.classes) +
                                            " classes): try another step_size"});
  }
  if (result.updates > 0 && result.updates <= setting.warm_up_updates) {
    warnings.push_back(
        {"in_warm_up", "ended inside its warm-up: " + counted(result.updates, "update") +
                           ", and warm_up is " + std::to_string(setting.warm_up_updates)});
  }
  if (result.updates > 0 && !setting.bound.empty() && never_acted(result, setting.acted)) {
    warnings.push_back(
        {"bound_idle", "has a " + setting.bound + " that never acted: it ran as if without it"});
  }
  return warnings;
}

}  // namespace motley
