#include "sim/results/statistics/resolution.hpp"

#include "sim/results/statistics/estimate.hpp"

namespace motley {

double resolution_s(const RunResult& run) {
  if (!run.time_to_target_s) return 0;
  double before = *run.time_to_target_s;
  for (const CurvePoint& point : run.curve) {
    if (point.kind == ModelKind::oracle) continue;
    if (point.time_s >= *run.time_to_target_s) return point.time_s - before;
    before = point.time_s;
  }
  return *run.time_to_target_s - before;
}

double mean_resolution_s(const std::vector<const RunResult*>& runs) {
  std::vector<double> gaps;
  for (const RunResult* run : runs) {
    if (run->time_to_target_s) gaps.push_back(resolution_s(*run));
  }
  const std::optional<Estimate> mean = mean_of(gaps);
  return mean ? mean->value : 0;
}

}  // namespace motley
