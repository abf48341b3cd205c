#include "sim/results/run_warnings.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/format.hpp"
#include "sim/results/link_use.hpp"

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

/// Whether all that was evaluated after the initial model is what a merge would have given.
bool never_merged(const RunResult& result) {
  return result.curve.size() > 1 &&
         std::all_of(result.curve.begin() + 1, result.curve.end(),
                     [](const CurvePoint& point) { return point.kind == EvaluatedModel::oracle; });
}

/// Whether the best accuracy is no better than naming the most frequent class always, but for what
/// chance makes of so many test samples.
bool stayed_at_chance(const RunResult& result, const RunSetting& setting) {
  if (!result.best_test_accuracy || setting.test_samples == 0) return false;
  const double deviation =
      std::sqrt(setting.chance * (1 - setting.chance) / static_cast<double>(setting.test_samples));
  return *result.best_test_accuracy <= setting.chance + 2 * deviation;
}

bool never_acted(const RunResult& result, const std::string& acted) {
  return result.discarded_s() == 0 &&
         std::none_of(result.decisions.begin(), result.decisions.end(), [&](const Decision& made) {
           return made.quantity == acted && made.time_s > 0;
         });
}

/// Whether gradients of twins shared the server's port, and were applied one by one. Without noise twins
/// that push together once push together for ever.
bool met_at_port(const RunResult& result, std::size_t twins) {
  constexpr double visible = 0.1;
  if (twins == 0 || result.max_staleness == 0) return false;
  return std::ranges::any_of(link_uses(result), [](const LinkUse& link) {
    return link.name.starts_with("server") && link.utilisation >= visible;
  });
}

/// Whether the initial model meets the target.
bool is_met_at_start(const RunResult& result) {
  return result.time_to_target_s && !result.curve.empty() &&
         *result.time_to_target_s <= result.curve.front().time_s;
}

/// Whether the target was crossed between the first evaluation and the second, with several updates in
/// between. A curve is steepest there, so that the straight line between the two says little.
bool is_coarse(const RunResult& result) {
  const std::optional<double> crossed_s = result.target_crossed_s();
  if (!crossed_s || result.curve.size() < 2) return false;
  const CurvePoint& first = result.curve[0];
  const CurvePoint& second = result.curve[1];
  return second.kind == EvaluatedModel::real && second.updates > first.updates + 1 &&
         *crossed_s > first.time_s && *crossed_s <= second.time_s;
}

}  // namespace

bool got_nowhere(const RunResult& result) {
  return std::ranges::any_of(result.warnings, [](const RunWarning& warning) {
    return warning.kind == "no_update" || warning.kind == "no_merge" ||
           warning.kind == "never_moved" || warning.kind == "chance_level";
  });
}

std::vector<RunWarning> warnings_of(const RunResult& result, const RunSetting& setting) {
  std::vector<RunWarning> warnings;
  if (result.status != RunStatus::ok) return warnings;
  if (result.time_to_target_s) {
    // It has learnt what it was to learn.
  } else if (result.updates == 0) {
    warnings.push_back({"no_update", "finished no update: is /stop too early?"});
  } else if (never_merged(result)) {
    warnings.push_back({"no_merge",
                        "never merged the workers' models: the curve shows what a merge would have "
                        "given, and its accuracy is that of the initial model; is /stop too "
                        "early?"});
  } else if (never_moved(result)) {
    warnings.push_back({"never_moved", "never moved: after " + counted(result.updates, "update") +
                                           " the test loss is that of the initial model; is "
                                           "step_size too small?"});
  } else if (stayed_at_chance(result, setting)) {
    warnings.push_back({"chance_level", "never left chance (best accuracy " +
                                            fixed(*result.best_test_accuracy, 3) + ", and " +
                                            fixed(setting.chance, 3) +
                                            " by always naming the most frequent class): try "
                                            "another step_size"});
  }
  if (is_met_at_start(result)) {
    warnings.push_back({"met_at_start",
                        "meets the target before the first update, so its time to target says "
                        "nothing: is /target what was meant?"});
  }
  if (is_coarse(result)) {
    // The same words for every run, so that a table says them once; how coarse is in summary.csv.
    warnings.push_back({"coarse",
                        "crossed the target before its second evaluation, so its time to target is "
                        "hardly known: evaluate more often (/evaluate/every)"});
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
  if (!setting.caution.empty()) warnings.push_back({"caution", setting.caution});
  if (met_at_port(result, setting.twins)) {
    warnings.push_back(
        {"lockstep",
         "has " + std::to_string(setting.twins) +
             " workers with an identical twin and no noise: they hit the server's port in lockstep "
             "at every step; a little noise breaks this and may make it faster: try --set "
             "'/cluster/noise={\"law\": \"exponential\", \"mean\": 0.001}'"});
  }
  return warnings;
}

}  // namespace motley
