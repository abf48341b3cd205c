#include "sim/study/run_times.hpp"

#include "sim/study/tuning/pilot_run.hpp"

namespace motley {
namespace {

/// Of a machine that is not known better.
constexpr double usual_flops_per_s = 2e10;

}  // namespace

double RunTimes::pace_of(std::size_t run) {
  const std::string& label = study_.entry(run).label;
  const auto known = pace_.find(label);
  if (known != pace_.end()) return known->second;
  double seconds = 0;
  double cost = 0;
  const auto learn_from = [&](std::size_t i) {
    if (study_.entry(i).label != label) return;
    const RunResult* done = stored_.result(study_.entry(i).hash);
    if (done == nullptr) return;
    seconds += done->wall_s;
    cost += study_.cost(i);
  };
  for (std::size_t i = 0; i < study_.size(); ++i) learn_from(i);
  for (const TuningUnit& unit : study_.units()) {
    for (const auto& [values, trial] : unit.trials) learn_from(trial);
  }
  if (cost == 0) {
    cost = study_.cost(run);
    seconds =
        pilot_seconds(study_.experiment(run), study_.plan(run)).value_or(cost / usual_flops_per_s);
  }
  return pace_[label] = seconds / cost;
}

double RunTimes::seconds(std::size_t run) {
  return pace_of(run) * study_.cost(run);
}

double RunTimes::seconds_of_trial(std::size_t unit) {
  const TuningUnit& tuned = study_.units()[unit];
  return pace_of(tuned.reported.front()) * tuned.cost;
}

}  // namespace motley
