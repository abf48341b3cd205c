#pragma once

#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "tests/simulated.hpp"

/// Runs of different algorithms held against each other.
namespace motley {

/// Of the points of the curve.
inline std::vector<double> losses(const RunResult& result) {
  std::vector<double> values;
  for (const CurvePoint& point : result.curve) values.push_back(point.test_loss.value());
  return values;
}

inline Json with_algorithm(Json scenario, const Json& algorithm) {
  scenario["algorithms"] = Json::array({algorithm});
  return scenario;
}

/// Everything of a run but how long it really took.
inline std::string text_of(RunResult result) {
  result.wall_s = 0;
  result.peak_rss_mb = 0;
  result.evaluation_wall_s = 0;
  return to_json(result).dump();
}

/// Whether two runs are the same in everything but the names of their algorithms.
inline bool same_run(RunResult a, const RunResult& b) {
  a.run = b.run;
  a.algorithm = b.algorithm;
  return text_of(a) == text_of(b);
}

}  // namespace motley
