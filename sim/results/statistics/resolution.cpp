#include "sim/results/statistics/resolution.hpp"

namespace motley {

double resolution_s(const RunResult& run) {
  if (!run.time_to_target_s) return 0;
  double before = *run.time_to_target_s;
  for (const CurvePoint& point : run.curve) {
    if (point.kind == EvaluatedModel::oracle) continue;
    if (point.time_s >= *run.time_to_target_s) return point.time_s - before;
    before = point.time_s;
  }
  return *run.time_to_target_s - before;
}

}  // namespace motley
