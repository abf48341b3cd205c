#pragma once

#include <vector>

#include "tests/catch.hpp"
#include "tests/simulated.hpp"

/// When updates come, against closed forms.
namespace motley {

/// To 1e-9; further updates may follow.
inline void check_times(const RunResult& result, const std::vector<double>& expected) {
  REQUIRE(result.status == RunStatus::ok);
  REQUIRE(result.curve.size() > expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(result.curve[i + 1].time_s == Approx(expected[i]).margin(1e-9).epsilon(0));
  }
}

/// The same scenario with every worker on a node of its own, where SimGrid does what is worked out
/// without it elsewhere.
inline Json on_nodes(Json scenario) {
  for (Json& worker : scenario["cluster"]["workers"]) {
    worker["per_node"] = 1;
    worker["inside"] = {{"bandwidth", "1GBps"}, {"latency", "1us"}};
  }
  return scenario;
}

}  // namespace motley
