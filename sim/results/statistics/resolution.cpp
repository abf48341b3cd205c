#include "sim/results/statistics/resolution.hpp"

namespace motley {

double resolution_s(const RunResult& run) {
  const std::optional<double> crossed_s = run.target_crossed_s();
  if (!crossed_s) return 0;
  double before = *crossed_s;
  for (const CurvePoint& point : run.curve) {
    if (point.kind == EvaluatedModel::oracle) continue;
    if (point.time_s >= *crossed_s) return point.time_s - before;
    before = point.time_s;
  }
  return *crossed_s - before;
}

}  // namespace motley
