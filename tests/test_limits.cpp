// Theory's times, what is estimated for them, and limits.csv.
#include <algorithm>
#include <cmath>
#include <random>

#include "sim/learning/models/estimated_constants.hpp"
#include "sim/learning/models/quadratic.hpp"
#include "sim/results/optimal_time.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

std::vector<double> roots(std::size_t count) {
  std::vector<double> taus;
  for (std::size_t i = 1; i <= count; ++i) taus.push_back(std::sqrt(static_cast<double>(i)));
  return taus;
}

TEST_CASE("theory's times have the values that can be worked out by hand") {
  // L D / eps = 1. Equal workers: all are worth using, 1 * (1 + 16/8).
  const std::vector<double> equal(8, 1.0);
  CHECK(optimal_time(equal, {1, 16}).time_s == Approx(3));
  CHECK(optimal_time(equal, {1, 16}).workers == 8);
  CHECK(synchronous_time(equal, {1, 16}) == Approx(3));
  CHECK(optimal_time_of_different_data(equal, {1, 16}) == Approx(3));
  // Four of 1 s and four of 8 s, in any order: the four fast ones take 1 + 16/4 = 5; all eight would take
  // 8/4.5 (1 + 16/8) = 5.33. Synchronously 8 (1 + 2) = 24; different data 8 + 4.5 * 2 = 17.
  const std::vector<double> two_kinds = {8, 1, 8, 1, 1, 8, 1, 8};
  CHECK(optimal_time(two_kinds, {1, 16}).time_s == Approx(5));
  CHECK(optimal_time(two_kinds, {1, 16}).workers == 4);
  CHECK(synchronous_time(two_kinds, {1, 16}) == Approx(5 * 4.80));
  CHECK(optimal_time_of_different_data(two_kinds, {1, 16}) == Approx(5 * 3.40));
  // tau = sqrt(i): published beside the formula.
  const OptimalTime uneven = optimal_time(roots(64), {1, 256});
  CHECK(uneven.time_s == Approx(21.91).margin(0.005));
  CHECK(uneven.workers == 64);
  CHECK(synchronous_time(roots(64), {1, 256}) / uneven.time_s == Approx(1.83).margin(0.005));
  // It scales with L D / eps.
  CHECK(optimal_time(two_kinds, {7, 16}).time_s == Approx(7 * 5));
}

TEST_CASE("gradients at one point take at most the time that theory counts for them") {
  // min over m of (Bt + m) / sum_{i <= m} 1/tau_i is optimal_time's for a difficulty of (1, Bt).
  std::mt19937 random(9);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> taus;
    for (int i = 0; i < 7; ++i) {
      taus.push_back(std::uniform_real_distribution<double>(0.1, 10)(random));
    }
    const std::size_t count = 1 + random() % 40;
    const double bound = optimal_time(taus, {1, static_cast<double>(count)}).time_s;
    const double exact = time_of_gradients(taus, count);
    CHECK(exact <= bound * (1 + 1e-12));
    CHECK(bound <= 2.5 * exact);  // and not by much: (Bt + m) <= 2 Bt where m <= Bt
  }
}

TEST_CASE("R consecutive updates of ringmaster take at most twice what theory says") {
  // 2 min_m (1/m sum_{i<=m} 1/tau_i)^-1 (1 + R/m)
  const std::vector<double> speeds = {1, 2, 3, 5, 8, 13};
  std::vector<double> taus;
  Json scenario = free_messages(timing_scenario());
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    taus.push_back(1 / speeds[i]);
    scenario["cluster"]["workers"].push_back(
        {{"name", "w" + std::to_string(i) + "x"}, {"speed", std::to_string(speeds[i]) + "Gf"}});
  }
  for (const std::size_t bound : {1, 3, 9}) {
    scenario["stop"] = {{"updates", 12 * bound}};
    const RunResult result = run_of({{"name", "ringmaster"}, {"delay_bound", bound}}, scenario);
    const double most = 2 * optimal_time(taus, {1, static_cast<double>(bound)}).time_s;
    for (std::size_t k = 0; k + bound < result.curve.size(); ++k) {
      CHECK(result.curve[k + bound].time_s - result.curve[k].time_s <= most);
    }
  }
}

TEST_CASE("the quadratic knows its constants, and estimates come near them") {
  QuadraticSpec spec;
  spec.dimension = 50;
  spec.smoothness = 3;
  spec.strong_convexity = 3;
  spec.noise = 2;
  spec.samples = 1000;
  const Quadratic problem(spec, 1);
  const ProblemConstants known = *problem.constants();
  CHECK(known.smoothness == 3);
  CHECK(known.gap == Approx(50 * 3 / 2.0));  // x0 is 0, x* is 1 in every coordinate
  CHECK(known.variance == Approx(4));
  const ProblemConstants estimated = estimated_constants(problem, 1);
  // All eigenvalues are L: any direction shows it, to the roundings of float over a hundredth.
  CHECK(estimated.smoothness == Approx(3).epsilon(1e-3));
  CHECK(estimated.variance == Approx(4).epsilon(0.3));
  CHECK(estimated.gap == Approx(75).epsilon(0.05));
}

TEST_CASE("a run writes the limits of its cluster, and says them") {
  Workplace workplace;
  // Two workers of 1 s and one of 4 s for a gradient of two samples; L = 1, D = 4/2, noise 3: s2 = 9/2 for
  // two samples. A target of 0.5 is eps = 2 * 0.5 = 1: L D/eps = 2, s2/eps = 4.5. Two workers: 2 (1 + 4.5/2) =
  // 6.5, all three: 3/2.25 * 2 (1 + 1.5) = 6.667.
  workplace.write("s.json", R"({
    "name": "limits",
    "model": {"kind": "quadratic", "dimension": 4, "strong_convexity": 1, "noise": 3},
    "cluster": {"workers": [{"name": "fast", "count": 2, "speed": "2Gf"}, {"name": "slow", "speed": "500Mf"}],
                "server": {"speed": "1Tf"}, "link": {"bandwidth": "1GBps", "latency": "0s"}},
    "cost": {"flops_per_sample": "1Gf", "model_size": "8MB"},
    "target": {"loss": 0.5},
    "stop": {"updates": 30},
    "evaluate": {"every": 1},
    "defaults": {"batch_size": 2, "step_size": 0.1},
    "algorithms": [{"name": "sync"}]
  })");
  const Outcome outcome = workplace.run({"--no-whatif"});
  REQUIRE(outcome.exit_code == 0);
  const auto row = rows_of(workplace.result("limits.csv")).at(0);
  const auto number = [&](const char* column) { return std::stod(row.at(column)); };
  CHECK(row.at("algorithm") == "sync");
  CHECK(number("gradients_per_s") == Approx(2.25));
  CHECK(number("samples_per_s") == Approx(4.5));
  CHECK(number("sync_updates_per_s") == Approx(0.25));
  // The server's link carries three gradients in and three models out, 24 MB each way, at 1 GB/s.
  CHECK(number("link_updates_per_s") == Approx(1 / 0.024).epsilon(0.05));
  CHECK(row.at("constants") == "known");
  CHECK(number("smoothness") == 1);
  CHECK(number("gap") == Approx(2));
  CHECK(number("variance") == Approx(4.5));
  CHECK(number("epsilon") == Approx(1));
  CHECK(number("theory_same_s") == Approx(6.5));
  CHECK(number("theory_workers") == 2);
  CHECK(number("theory_different_s") == Approx(2 * (4 + 2 * 4.5 / 3)));
  CHECK(number("theory_sync_s") == Approx(2 * 4 * 2.5));
  CHECK(number("of_theory") == Approx(number("time_to_target_s") / 6.5).epsilon(1e-6));
  // A step makes six samples: three models leave in 24 ms, the slow worker takes 4 s, its gradient 8 ms.
  CHECK(number("of_the_limit") == Approx(6 / 4.032 / 4.5).epsilon(1e-6));
  CHECK(contains(outcome.out, "of the limit"));
  CHECK(contains(outcome.out, "at most 2.25 gradients/s by all workers, 0.25 updates/s"));
  CHECK(contains(outcome.out, "6.50 s by the 2 fastest of 3 workers"));
  CHECK(contains(outcome.out, "up to a constant"));
}

TEST_CASE("an algorithm that chooses batches is set beside the best ones, not the scenario's") {
  // Beside 8 each, of a sum of 32: workers a are best at 32 samples with 410 a second, or, where no more than 16 fit,
  // at 16: between 8 samples in 8/220 s and 32 in 32/410 s a third of the way. b's best, 50, is neither its
  // first nor its last measurement. At 8 each they make 220 and 40.
  Json scenario = Json::parse(R"({
    "name": "limits",
    "model": {"kind": "quadratic", "dimension": 4, "noise": 1},
    "cluster": {"workers": [
        {"name": "a", "count": 2, "samples_per_s": {"1": 40, "8": 220, "32": 410, "128": 900}},
        {"name": "b", "count": 2, "samples_per_s": {"1": 20, "8": 40, "16": 50, "32": 45}}],
      "server": {"speed": "1Tf"}, "link": {"bandwidth": "1Gbps", "latency": "0s"}},
    "cost": {"model_size": "1kB"},
    "target": {"loss": 0.01},
    "stop": {"time": "20s"},
    "evaluate": {"every": "5s"},
    "defaults": {"batch_size": 8, "step_size": 0.1},
    "algorithms": [{"name": "allocation", "mode": "adaptive", "period": 5},
                   {"name": "allocation", "label": "static", "mode": "static"},
                   {"name": "allocation", "label": "equal", "mode": "equal"},
                   {"name": "sync"}]
  })");
  const double in_between_s = 8 / 220.0 + (32 / 410.0 - 8 / 220.0) / 3;
  for (const bool limited : {false, true}) {
    if (limited) scenario["cluster"]["workers"][0]["max_batch"] = 16;
    Workplace workplace;
    workplace.write("s.json", scenario.dump());
    const Outcome outcome = workplace.run({"--no-whatif"});
    REQUIRE(outcome.exit_code == 0);
    const auto rows = rows_of(workplace.result("limits.csv"));
    for (const std::size_t chooses : {0, 1}) {
      const auto& row = rows.at(chooses);
      CHECK(std::stod(row.at("samples_per_s")) ==
            Approx(2 * (limited ? 16 / in_between_s : 410) + 2 * 50));
      CHECK(std::stod(row.at("of_the_limit")) < 1);
      for (const char* column : {"gradients_per_s", "sync_updates_per_s", "theory_sync_s"}) {
        CHECK(row.at(column).empty());
      }
      // What made the scenario's batches no limit.
      CHECK(std::stod(row.at("measured_updates_per_s")) > 40 / 8.0);
    }
    for (const std::size_t given : {2, 3}) {
      const auto& row = rows.at(given);
      CHECK(std::stod(row.at("samples_per_s")) == Approx(2 * 220 + 2 * 40));
      CHECK(std::stod(row.at("sync_updates_per_s")) == Approx(40 / 8.0));
      CHECK(!row.at("theory_sync_s").empty());
    }
    CHECK(contains(outcome.out, "5 updates/s with one of each, with the batches of equal"));
  }
}

TEST_CASE("without a target loss there is no theory") {
  Workplace workplace;
  REQUIRE(workplace.run({"--no-whatif"}).exit_code == 0);
  const auto row = rows_of(workplace.result("limits.csv")).at(0);
  CHECK(row.at("constants").empty());
  CHECK(row.at("theory_same_s").empty());
  CHECK(!row.at("of_the_limit").empty());
}

TEST_CASE("of other models theory's constants are estimated at the start, and that is said") {
  Workplace workplace;
  const Outcome outcome = workplace.run({"--no-whatif", "--set", "/target={\"loss\": 0.9}"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(rows_of(workplace.result("limits.csv")).at(0).at("constants") == "estimated");
  CHECK(contains(outcome.out, "estimates at the start"));
}

}  // namespace
}  // namespace motley
