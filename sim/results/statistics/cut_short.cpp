#include "sim/results/statistics/cut_short.hpp"

#include <algorithm>

namespace motley {

AtPoint at_point_of(const RunResult& run) {
  return {Json(run.point).dump(), run.algorithm};
}

std::map<AtPoint, CutShort> cut_short(const std::vector<RunResult>& runs) {
  std::map<AtPoint, double> arrived;  // the first of each
  std::map<AtPoint, double> ended;    // the last that did not
  for (const RunResult& run : runs) {
    if (run.status != RunStatus::ok) continue;
    if (run.time_to_target_s) {
      double& first = arrived.try_emplace(at_point_of(run), *run.time_to_target_s).first->second;
      first = std::min(first, *run.time_to_target_s);
    } else {
      double& last = ended[at_point_of(run)];
      last = std::max(last, run.virtual_s);
    }
  }
  std::map<AtPoint, CutShort> cut;
  for (const auto& [mine, ended_s] : ended) {
    for (const auto& [other, first_s] : arrived) {
      if (other.first != mine.first || other.second == mine.second || first_s <= ended_s) continue;
      cut.try_emplace(mine, CutShort{ended_s, other.second, first_s});
    }
  }
  return cut;
}

}  // namespace motley
