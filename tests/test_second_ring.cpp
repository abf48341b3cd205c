// The algorithms beyond the first twelve: where they coincide with others, and what can be counted
// without learning.
#include <algorithm>
#include <cmath>
#include <random>

#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/vocabulary/draw.hpp"
#include "tests/catch.hpp"
#include "tests/one_dimension.hpp"

namespace motley {
namespace {

// ---- dc_asgd ----

TEST_CASE("dc_asgd without compensation is async, bit for bit") {
  const Json extra = {{"momentum", 0.5}, {"weight_decay", 0.01}};
  Json plain = {{"name", "async"}};
  plain.update(extra);
  Json compensated = {{"name", "dc_asgd"}, {"lambda", 0}};
  compensated.update(extra);
  CHECK(same_run(run_of(compensated), run_of(plain)));
}

TEST_CASE("dc_asgd compensates by the model its gradient was taken at") {
  // A worker alone never meets a model that has moved on: nothing to compensate.
  Json alone = learning_scenario();
  alone["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  CHECK(same_run(run_of({{"name", "dc_asgd"}, {"lambda", 5}}, alone),
                 run_of({{"name", "async"}}, alone)));
  // With others it does.
  CHECK(losses(run_of({{"name", "dc_asgd"}, {"lambda", 5}})) !=
        losses(run_of({{"name", "async"}})));
  CHECK(losses(run_of({{"name", "dc_asgd"}, {"mode", "adaptive"}})) !=
        losses(run_of({{"name", "dc_asgd"}})));
}

TEST_CASE("dc_asgd's late gradients are moved as the formula says") {
  // Two workers of the same speed begin at e0. The first one's gradient e0 makes e1; the second one's,
  // e0 too, is moved by e1 - e0.
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 2}};
  const double lambda = 0.3;
  const double rho = 0.75;
  const double e0 = -1;
  const double e1 = e0 - eta * e0;
  const auto check = [&](const Json& algorithm, double factor) {
    const RunResult result = run_of(algorithm, scenario);
    check_error(result.curve[1], e1);
    check_error(result.curve[2], e1 - eta * (e0 + factor * e0 * e0 * (e1 - e0)));
  };
  check({{"name", "dc_asgd"}, {"lambda", lambda}}, lambda);
  check({{"name", "dc_asgd"}, {"mode", "adaptive"}, {"lambda", lambda}, {"rho", rho}},
        lambda / std::sqrt((1 - rho) * e0 * e0 + 1e-7));
}

// ---- scaffold ----

TEST_CASE("scaffold's first round is FedAvg's by differences, bit for bit") {
  // fedbuff with a buffer of everybody and no scaling adds the mean difference of equal workers.
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 1}};
  CHECK(losses(run_of({{"name", "scaffold"}, {"local_steps", 5}}, scenario)) ==
        losses(run_of(
            {{"name", "fedbuff"}, {"local_steps", 5}, {"buffer", 4}, {"staleness_scaling", "none"}},
            scenario)));
}

TEST_CASE("scaffold's models and control variates go as the formulas say") {
  // One of two workers drawn per round, two steps: y <- y - eta (y - c_i + c), in errors.
  Json scenario = one_dimension(2);
  scenario["seed"] = 1;
  scenario["stop"] = {{"updates", 12}};
  const double eta_g = 0.5;
  const RunResult result = run_of({{"name", "scaffold"},
                                   {"local_steps", 2},
                                   {"server_step_size", eta_g},
                                   {"participation", {{"count", 1}}}},
                                  scenario);
  RandomStream random(1, "clients", 0xffffffffU);
  std::vector<double> own(2, 0);
  double c = 0;
  double e = -1;
  for (std::size_t round = 1; round <= 12; ++round) {
    double& c_i = own[draw_some(random, 2, 1).front()];
    double y = e;
    for (int step = 0; step < 2; ++step) y -= eta * (y - c_i + c);
    const double change = -c + (e - y) / (2 * eta);
    e += eta_g * (y - e);
    c += change / 2;
    c_i += change;
    CAPTURE(round);
    check_error(result.curve[round], e);
  }
}

TEST_CASE("scaffold's control variates are finite with a warm-up, whose first step has no size") {
  const Json warm_up = {{"kind", "constant"}, {"warm_up_epochs", 0.5}};
  for (const int steps : {1, 3}) {
    const RunResult result =
        run_of({{"name", "scaffold"}, {"local_steps", steps}, {"schedule", warm_up}});
    CHECK(*result.final_test_loss < *result.curve[0].test_loss);
  }
}

TEST_CASE("a schedule counts epochs of everybody's samples, however few are drawn at a time") {
  // One of four equal workers at a time, and steps of no size from the first epoch on. Four epochs
  // later everybody has had its own quarter of an epoch several times over.
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"epochs", 6}};
  const Json drop = {{"kind", "milestones"}, {"at_epochs", {1}}, {"factor", 1e-9}};
  for (const Json& algorithm : {Json{{"name", "scaffold"}, {"participation", {{"count", 1}}}},
                                Json{{"name", "fedbuff"}, {"concurrency", {{"count", 1}}}}}) {
    Json scheduled = algorithm;
    scheduled.update({{"local_steps", 1}, {"schedule", drop}});
    const RunResult result = run_of(scheduled, scenario);
    const auto late =
        std::ranges::find_if(result.curve, [](const CurvePoint& p) { return p.epochs >= 5; });
    REQUIRE(late != result.curve.end());
    CAPTURE(algorithm.dump());
    CHECK(*result.final_test_loss < *result.curve[0].test_loss);
    CHECK(*result.final_test_loss == Approx(*late->test_loss).epsilon(1e-6));
  }
}

TEST_CASE("scaffold's first round is local SGD's to rounding, with twice the bytes") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 1}};
  const Json local = {{"name", "local"}, {"local_steps", 4}, {"average", "server"}};
  const Json scaffold = {{"name", "scaffold"}, {"local_steps", 4}};
  const RunResult a = run_of(local, scenario);
  const RunResult b = run_of(scaffold, scenario);
  CHECK(*b.final_test_loss == Approx(*a.final_test_loss).epsilon(1e-5));
  // Local's workers have the first model; scaffold's are sent it with the control variate.
  CHECK(a.bytes == 4 * 1e6);
  CHECK(b.bytes == 2 * 2 * 4 * 1e6);
}

TEST_CASE("scaffold on several servers takes the same path") {
  Json one = learning_scenario();
  one["stop"] = {{"updates", 6}};
  Json two = one;
  two["cluster"].erase("server");
  two["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 2}}};
  const Json scaffold = {
      {"name", "scaffold"}, {"local_steps", 3}, {"participation", {{"count", 2}}}};
  CHECK(losses(run_of(scaffold, one)) == losses(run_of(scaffold, two)));
}

TEST_CASE("scaffold's control variates cancel what local SGD's drift leaves") {
  // Two workers with one class each: local SGD with many steps drifts, scaffold far less.
  Json scenario = learning_scenario();
  scenario["data"]["partition"] = {{"kind", "by_label"}};
  scenario["stop"] = {{"updates", 60}};
  const RunResult drift =
      run_of({{"name", "local"}, {"local_steps", 20}, {"average", "server"}}, scenario);
  const RunResult corrected = run_of({{"name", "scaffold"}, {"local_steps", 20}}, scenario);
  CHECK(*corrected.final_test_loss < *drift.final_test_loss);
}

TEST_CASE("only the workers drawn compute and communicate") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 10}};
  const RunResult result = run_of(
      {{"name", "scaffold"}, {"local_steps", 2}, {"participation", {{"count", 1}}}}, scenario);
  CHECK(result.gradients == 10 * 2);
  CHECK(result.bytes == 10 * 4 * 1e6);
  const Json half = {{"name", "scaffold"}, {"participation", {{"share", 0.5}}}};
  CHECK(run_of(half, scenario).gradients == 10 * 2 * 8);
  const Json both = {{"name", "scaffold"}, {"participation", {{"share", 0.5}, {"count", 1}}}};
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, both)),
                    Catch::Contains("/participation: takes one of \"count\" and \"share\""));
  const Json many = {{"name", "scaffold"}, {"participation", {{"count", 9}}}};
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, many)),
                    Catch::Contains("/participation/count: must be at most the number of workers"));
}

// ---- fedbuff ----

TEST_CASE("fedbuff with a buffer of one and one step is async, to rounding") {
  check_near(
      run_of(
          {{"name", "fedbuff"}, {"buffer", 1}, {"local_steps", 1}, {"staleness_scaling", "none"}}),
      run_of({{"name", "async"}}));
}

TEST_CASE("fedbuff keeps as many workers at work as it is told, drawn from all") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 30}};
  const RunResult result = run_of(
      {{"name", "fedbuff"}, {"buffer", 2}, {"local_steps", 1}, {"concurrency", {{"count", 2}}}},
      scenario);
  CHECK(result.gradients >= 60);
  CHECK(result.gradients <= 62);
  for (const WorkerResult& worker : result.workers) CHECK(worker.gradients > 0);
  // Two at work, updates of two: nobody's difference is more than one update old.
  CHECK(result.max_staleness <= 1);
}

TEST_CASE("fedbuff scales a difference by 1/sqrt(1 + delta)") {
  // Two equal workers, three steps from e0 each: the first difference is fresh, the second one update
  // old.
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 2}};
  const double e0 = -1;
  const double d = e0 - std::pow(1 - eta, 3) * e0;
  const RunResult one = run_of({{"name", "fedbuff"}, {"local_steps", 3}, {"buffer", 1}}, scenario);
  check_error(one.curve[1], e0 - d);
  check_error(one.curve[2], e0 - d - d / std::sqrt(2.0));
  const RunResult two =
      run_of({{"name", "fedbuff"}, {"local_steps", 3}, {"buffer", 2}, {"server_step_size", 0.5}},
             scenario);
  check_error(two.curve[1], e0 - 0.5 * d);
}

// ---- diloco ----

TEST_CASE("diloco without outer momentum is local SGD, to rounding") {
  for (const double momentum : {0.0, 0.5}) {
    check_near(run_of({{"name", "diloco"},
                       {"local_steps", 3},
                       {"outer_step_size", 1},
                       {"outer_momentum", 0},
                       {"momentum", momentum}}),
               run_of({{"name", "local"}, {"local_steps", 3}, {"momentum", momentum}}));
  }
}

TEST_CASE("diloco's outer step is Nesterov's") {
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 15}};
  const double eta_out = 0.7;
  const double b = 0.9;
  const RunResult result = run_of(
      {{"name", "diloco"}, {"local_steps", 2}, {"outer_step_size", eta_out}, {"outer_momentum", b}},
      scenario);
  double e = -1;
  double m = 0;
  for (std::size_t round = 1; round <= 15; ++round) {
    const double d = e - (1 - eta) * (1 - eta) * e;
    m = b * m + d;
    e -= eta_out * (d + b * m);
    CAPTURE(round);
    CHECK(*result.curve[round].test_loss == Approx(e * e / 2).epsilon(1e-4).margin(1e-7));
  }
}

// ---- hierarchical ----

TEST_CASE("hierarchical with one group is local SGD, bit for bit") {
  CHECK(same_run(
      run_of({{"name", "hierarchical"},
              {"groups", 1},
              {"local_steps", 3},
              {"global_every", 5},
              {"momentum", 0.5}}),
      [] {
        RunResult local = run_of({{"name", "local"}, {"local_steps", 3}, {"momentum", 0.5}});
        for (std::size_t rank = 0; rank < 4; ++rank) {
          local.decisions.push_back({0, rank, "group", 0});
        }
        return local;
      }()));
}

TEST_CASE("hierarchical with groups of one is local SGD with all their steps, bit for bit") {
  const RunResult grouped =
      run_of({{"name", "hierarchical"}, {"groups", 4}, {"local_steps", 2}, {"global_every", 3}});
  const RunResult local = run_of({{"name", "local"}, {"local_steps", 6}});
  CHECK(losses(grouped) == losses(local));
  CHECK(grouped.virtual_s == Approx(local.virtual_s).epsilon(1e-9));
  CHECK(grouped.bytes == local.bytes);
}

TEST_CASE("groups that are given do not wait for each other between the averages of all") {
  // Free messages; a fast pair at 3 Gf/s and a slow one at 1 Gf/s, 0.01 Gf a sample, batch 8: a step
  // takes 0.08/3 and 0.08 s. An update is two rounds of three steps of the slow pair.
  Json scenario = learning_scenario();
  scenario["cluster"]["link"] = {{"bandwidth", "1000TBps"}, {"latency", "0s"}};
  scenario["stop"] = {{"updates", 4}};
  const RunResult result =
      run_of({{"name", "hierarchical"},
              {"groups",
               Json::array({Json::array({"fast-0", "fast-1"}), Json::array({"slow-0", "slow-1"})})},
              {"local_steps", 3},
              {"global_every", 2}},
             scenario);
  CHECK(result.virtual_s == Approx(4 * 2 * 3 * 0.08).epsilon(1e-6));
}

// ---- ad_psgd ----

TEST_CASE("ad_psgd averages a pair at once, and applies the gradient of the model before") {
  // A message takes 0.082 s. The active worker steps every second, the passive one every 1/2.9 s. At 0 s
  // and 1 s active sends its model; passive has it at 0.082 s, where both are at e0, and at 1.082 s,
  // between its steps at 1.034 s and 1.379 s. The curve shows the mean of both after each step.
  Json scenario = one_dimension(2);
  scenario["cluster"]["workers"] = {{{"name", "active"}, {"speed", "1Gf"}},
                                    {{"name", "passive"}, {"speed", "2.9Gf"}}};
  scenario["stop"] = {{"updates", 7}};
  const RunResult result = run_of({{"name", "ad_psgd"}}, scenario);
  const double e0 = -1;
  const double p1 = (1 - eta) * e0;
  const double p2 = (1 - eta) * p1;
  const double a1 = (1 - eta) * e0;
  const double p3 = (1 - eta) * p2;
  const double average = (a1 + p3) / 2;
  const double p4 = average - eta * p3;  // its gradient was begun before the average
  const double p5 = (1 - eta) * p4;
  const double a2 = average - eta * a1;
  REQUIRE(result.curve.size() == 8);
  check_error(result.curve[2], (e0 + p2) / 2);
  check_error(result.curve[3], (a1 + p2) / 2);
  check_error(result.curve[4], (a1 + p3) / 2);
  check_error(result.curve[5], (a1 + p4) / 2);
  check_error(result.curve[6], (a1 + p5) / 2);
  check_error(result.curve[7], (a2 + p5) / 2);
}

TEST_CASE("ad_psgd with one worker is a plain SGD loop") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  const RunResult gossip = run_of({{"name", "ad_psgd"}, {"momentum", 0.5}}, scenario);
  const RunResult local =
      run_of({{"name", "local"}, {"local_steps", 1}, {"momentum", 0.5}}, scenario);
  CHECK(losses(gossip) == losses(local));
}

TEST_CASE("ad_psgd's active workers take as long as the longer of gradient and exchange") {
  // Two workers: 0 is active, 1 passive. A gradient takes 1 s; an exchange two messages of 0.082 s,
  // behind it.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"time", "10.5s"}};
  RunResult result = run_of({{"name", "ad_psgd"}}, scenario);
  CHECK(result.workers[0].gradients == 10);
  CHECK(result.workers[1].gradients == 10);
  CHECK(result.bytes == 11 * 2 * 8e6);
  // With 80 MB the exchange takes 2 (0.8 + 0.002) s.
  scenario["cost"]["model_size"] = "80MB";
  scenario["stop"] = {{"time", "10s"}};
  result = run_of({{"name", "ad_psgd"}}, scenario);
  CHECK(result.workers[0].gradients == 6);  // ended at 1, 2.604, ..., 9.02
  CHECK(result.workers[1].gradients == 10);
}

TEST_CASE("ad_psgd goes on for ever on any cluster, and its models agree") {
  std::mt19937 random(11);
  for (std::size_t trial = 0; trial < 40; ++trial) {
    Json scenario = timing_scenario();
    const std::size_t workers = 2 + random() % 6;
    for (std::size_t i = 0; i < workers; ++i) {
      const double speed = std::uniform_real_distribution<double>(1, 50)(random);
      scenario["cluster"]["workers"].push_back(
          {{"name", "w" + std::to_string(i) + "x"}, {"speed", std::to_string(speed) + "Gf"}});
    }
    scenario["stop"] = {{"updates", 300}};
    scenario["evaluate"] = {{"every", 100}};
    const RunResult result =
        run_of({{"name", "ad_psgd"}, {"graph", trial % 2 == 0 ? "ring" : "complete"}}, scenario);
    CHECK(result.updates == 300);
    CHECK(*result.final_test_loss < *result.curve[0].test_loss);
  }
}

}  // namespace
}  // namespace motley
