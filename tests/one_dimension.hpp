#pragma once

#include "tests/catch.hpp"
#include "tests/compared.hpp"

/// Formulas of algorithms followed by hand: in one dimension f = (x-1)^2/2 from x = 0, so the error e = x - 1
/// is the gradient and the loss is e^2/2.
namespace motley {

constexpr double eta = 0.25;

inline Json one_dimension(std::size_t workers) {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 1}, {"smoothness", 1}, {"noise", 0}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", workers}, {"speed", "1Gf"}}};
  scenario["defaults"]["step_size"] = eta;
  return scenario;
}

inline void check_error(const CurvePoint& point, double error) {
  CHECK(point.test_loss.value() == Approx(error * error / 2).epsilon(1e-4).margin(1e-7));
}

/// Two runs with the same losses to rounding, at the same times.
inline void check_near(const RunResult& a, const RunResult& b, double epsilon = 1e-5) {
  REQUIRE(a.curve.size() == b.curve.size());
  for (std::size_t i = 0; i < a.curve.size(); ++i) {
    CAPTURE(i);
    CHECK(*a.curve[i].test_loss == Approx(*b.curve[i].test_loss).epsilon(epsilon));
    CHECK(a.curve[i].time_s == Approx(b.curve[i].time_s).epsilon(1e-9));
  }
}

/// The same scenario on so many servers.
inline Json on_servers(Json scenario, std::size_t servers) {
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", servers}}};
  return scenario;
}

}  // namespace motley
