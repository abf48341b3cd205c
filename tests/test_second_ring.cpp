// The algorithms beyond the first twelve: where they coincide with others, and what can be counted
// without learning.
#include <algorithm>
#include <cmath>
#include <queue>
#include <random>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

void check_near(const RunResult& a, const RunResult& b, double epsilon = 1e-5) {
  REQUIRE(a.curve.size() == b.curve.size());
  for (std::size_t i = 0; i < a.curve.size(); ++i) {
    CAPTURE(i);
    CHECK(*a.curve[i].test_loss == Approx(*b.curve[i].test_loss).epsilon(epsilon));
    CHECK(a.curve[i].time_s == Approx(b.curve[i].time_s).epsilon(1e-9));
  }
}

RunResult run(const Json& algorithm, const Json& scenario = learning_scenario()) {
  const RunResult result = simulate(with_algorithm(scenario, algorithm));
  REQUIRE(result.status == RunStatus::ok);
  return result;
}

// ---- dc_asgd ----

TEST_CASE("dc_asgd without compensation is async, bit for bit") {
  const Json extra = {{"momentum", 0.5}, {"weight_decay", 0.01}};
  Json plain = {{"name", "async"}};
  plain.update(extra);
  Json compensated = {{"name", "dc_asgd"}, {"lambda", 0}};
  compensated.update(extra);
  CHECK(same_run(run(compensated), run(plain)));
}

TEST_CASE("dc_asgd compensates by the model its gradient was taken at") {
  // A worker alone never meets a model that has moved on: nothing to compensate.
  Json alone = learning_scenario();
  alone["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  CHECK(
      same_run(run({{"name", "dc_asgd"}, {"lambda", 5}}, alone), run({{"name", "async"}}, alone)));
  // With others it does.
  CHECK(losses(run({{"name", "dc_asgd"}, {"lambda", 5}})) != losses(run({{"name", "async"}})));
  CHECK(losses(run({{"name", "dc_asgd"}, {"mode", "adaptive"}})) !=
        losses(run({{"name", "dc_asgd"}})));
}

TEST_CASE("dc_asgd's first late gradient is moved as the formula says") {
  // f = x^2/2 in each coordinate, no noise: the gradient is x. Two workers of the same speed start at
  // x0; the first is applied to x0, the second to x1 = x0 - eta x0, compensated by lambda x0^2 (x1-x0).
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 2}};
  const double eta = 0.1;
  const double lambda = 0.3;
  const RunResult plain = run({{"name", "async"}, {"step_size", eta}}, scenario);
  const RunResult moved =
      run({{"name", "dc_asgd"}, {"step_size", eta}, {"lambda", lambda}}, scenario);
  CHECK(plain.curve[1].test_loss == moved.curve[1].test_loss);
  CHECK(*moved.curve[2].test_loss != *plain.curve[2].test_loss);
}

// ---- ringmaster ----

TEST_CASE("ringmaster without a bound is async, bit for bit") {
  for (const bool stop : {false, true}) {
    CHECK(same_run(run({{"name", "ringmaster"}, {"delay_bound", "inf"}, {"stop", stop}}),
                   run({{"name", "async"}})));
  }
}

TEST_CASE("ringmaster with a bound of 1 and no stops uses fresh gradients only") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 30}};
  const RunResult result =
      run({{"name", "ringmaster"}, {"delay_bound", 1}, {"stop", false}}, scenario);
  CHECK(result.max_staleness == 0);
  CHECK(result.gradients > result.updates);
  CHECK(result.discarded_s() > 0);
}

/// Counts of Ringmaster where messages take no time: an independent simulation with a queue of ends.
struct Counted {
  std::size_t applied = 0;
  std::vector<double> discarded_s;
};

Counted count_ringmaster(const std::vector<double>& tau, std::size_t bound, bool stop,
                         std::size_t updates) {
  Counted counted;
  counted.discarded_s.assign(tau.size(), 0);
  std::vector<double> start(tau.size(), 0);
  std::vector<std::size_t> version(tau.size(), 0);
  while (counted.applied < updates) {
    std::size_t i = 0;
    for (std::size_t j = 1; j < tau.size(); ++j) {
      if (start[j] + tau[j] < start[i] + tau[i]) i = j;
    }
    const double now = start[i] + tau[i];
    if (counted.applied - version[i] < bound)
      ++counted.applied;
    else
      counted.discarded_s[i] += tau[i];
    start[i] = now;
    version[i] = counted.applied;
    for (std::size_t j = 0; stop && j < tau.size(); ++j) {
      if (counted.applied - version[j] < bound) continue;
      if (counted.applied < updates) counted.discarded_s[j] += now - start[j];
      start[j] = now;
      version[j] = counted.applied;
    }
  }
  return counted;
}

TEST_CASE("ringmaster applies and drops as an independent count does") {
  std::mt19937 random(7);
  for (std::size_t trial = 0; trial < 12; ++trial) {
    const bool stop = trial % 2 == 0;
    const std::size_t bound = 1 + trial / 2;
    std::vector<double> tau;
    Json scenario = timing_scenario();
    scenario["model"] = {{"kind", "none"}, {"samples", 1000}};
    scenario["cluster"]["link"] = {{"bandwidth", "1000TBps"}, {"latency", "0s"}};
    scenario["cost"]["model_size"] = "1B";
    scenario["stop"] = {{"updates", 60}};
    for (std::size_t i = 0; i < 5; ++i) {
      const double speed = std::uniform_real_distribution<double>(1, 20)(random);
      tau.push_back(1 / speed);
      scenario["cluster"]["workers"].push_back(
          {{"name", "w" + std::to_string(i) + "x"}, {"speed", std::to_string(speed) + "Gf"}});
      tau.back() = 1 / std::stod(std::to_string(speed));
    }
    const RunResult result =
        run({{"name", "ringmaster"}, {"delay_bound", bound}, {"stop", stop}, {"batch_size", 1}},
            scenario);
    const Counted counted = count_ringmaster(tau, bound, stop, 60);
    CAPTURE(trial);
    CHECK(result.max_staleness < bound);
    for (std::size_t i = 0; i < tau.size(); ++i) {
      CAPTURE(i);
      CHECK(result.workers[i].discarded_s == Approx(counted.discarded_s[i]).margin(1e-6));
    }
  }
}

TEST_CASE("ringmaster and fedbuff refuse several servers") {
  Json scenario = learning_scenario();
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 2}}};
  const Json ringmaster = {{"name", "ringmaster"}, {"delay_bound", 2}};
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, ringmaster)),
                    Catch::Contains("needs a single server"));
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, {{"name", "fedbuff"}})),
                    Catch::Contains("needs a single server"));
}

// ---- scaffold ----

TEST_CASE("scaffold's first round is local SGD's, with twice the bytes") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 1}};
  const Json local = {{"name", "local"}, {"local_steps", 4}, {"average", "server"}};
  const Json scaffold = {{"name", "scaffold"}, {"local_steps", 4}};
  const RunResult a = run(local, scenario);
  const RunResult b = run(scaffold, scenario);
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
  CHECK(losses(run(scaffold, one)) == losses(run(scaffold, two)));
}

TEST_CASE("scaffold's control variates cancel what local SGD's drift leaves") {
  // Two workers with one class each: local SGD with many steps drifts, scaffold far less.
  Json scenario = learning_scenario();
  scenario["data"]["partition"] = {{"kind", "by_label"}};
  scenario["stop"] = {{"updates", 60}};
  const RunResult drift =
      run({{"name", "local"}, {"local_steps", 20}, {"average", "server"}}, scenario);
  const RunResult corrected = run({{"name", "scaffold"}, {"local_steps", 20}}, scenario);
  CHECK(*corrected.final_test_loss < *drift.final_test_loss);
}

TEST_CASE("only the workers drawn compute and communicate") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 10}};
  const RunResult result =
      run({{"name", "scaffold"}, {"local_steps", 2}, {"participation", {{"count", 1}}}}, scenario);
  CHECK(result.gradients == 10 * 2);
  CHECK(result.bytes == 10 * 4 * 1e6);
  const Json half = {{"name", "scaffold"}, {"participation", {{"share", 0.5}}}};
  CHECK(run(half, scenario).gradients == 10 * 2 * 8);
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
      run({{"name", "fedbuff"}, {"buffer", 1}, {"local_steps", 1}, {"staleness_scaling", "none"}}),
      run({{"name", "async"}}));
}

TEST_CASE("fedbuff keeps as many workers at work as it is told, drawn from all") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 30}};
  const RunResult result =
      run({{"name", "fedbuff"}, {"buffer", 2}, {"local_steps", 1}, {"concurrency", {{"count", 2}}}},
          scenario);
  CHECK(result.gradients >= 60);
  CHECK(result.gradients <= 62);
  for (const WorkerResult& worker : result.workers) CHECK(worker.gradients > 0);
  // Two at work, updates of two: nobody's difference is more than one update old.
  CHECK(result.max_staleness <= 1);
}

// ---- diloco ----

TEST_CASE("diloco without outer momentum is local SGD, to rounding") {
  for (const double momentum : {0.0, 0.5}) {
    check_near(run({{"name", "diloco"},
                    {"local_steps", 3},
                    {"outer_step_size", 1},
                    {"outer_momentum", 0},
                    {"momentum", momentum}}),
               run({{"name", "local"}, {"local_steps", 3}, {"momentum", momentum}}));
  }
}

TEST_CASE("diloco's outer step is Nesterov's") {
  // One worker, one inner step on f = x^2/2 without noise: d = eta x, and x goes as the recurrence.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 15}};
  const double eta = 0.1;
  const RunResult result = run({{"name", "diloco"},
                                {"local_steps", 1},
                                {"step_size", eta},
                                {"outer_step_size", 0.7},
                                {"outer_momentum", 0.9}},
                               scenario);
  // Every coordinate of the quadratic shrinks by its own factor; with nothing but their losses at
  // hand, an inner step is told from async's one step of the same size.
  const RunResult plain = run({{"name", "diloco"},
                               {"local_steps", 1},
                               {"step_size", eta},
                               {"outer_step_size", 0.7 * 1.9},
                               {"outer_momentum", 0}},
                              scenario);
  // The first outer step: m = d, so x <- x - 0.7 (d + 0.9 d).
  CHECK(*result.curve[1].test_loss == Approx(*plain.curve[1].test_loss).epsilon(1e-6));
  CHECK(*result.curve[2].test_loss < *plain.curve[2].test_loss);
}

// ---- hierarchical ----

TEST_CASE("hierarchical with one group is local SGD, bit for bit") {
  CHECK(
      same_run(run({{"name", "hierarchical"},
                    {"groups", 1},
                    {"local_steps", 3},
                    {"global_every", 5},
                    {"momentum", 0.5}}),
               [] {
                 RunResult local = run({{"name", "local"}, {"local_steps", 3}, {"momentum", 0.5}});
                 for (std::size_t rank = 0; rank < 4; ++rank) {
                   local.decisions.push_back({0, rank, "group", 0});
                 }
                 return local;
               }()));
}

TEST_CASE("hierarchical with groups of one is local SGD with all their steps, bit for bit") {
  const RunResult grouped =
      run({{"name", "hierarchical"}, {"groups", 4}, {"local_steps", 2}, {"global_every", 3}});
  const RunResult local = run({{"name", "local"}, {"local_steps", 6}});
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
  const RunResult result = run(
      {{"name", "hierarchical"},
       {"groups", Json::array({Json::array({"fast0", "fast1"}), Json::array({"slow0", "slow1"})})},
       {"local_steps", 3},
       {"global_every", 2}},
      scenario);
  CHECK(result.virtual_s == Approx(4 * 2 * 3 * 0.08).epsilon(1e-6));
}

// ---- ad_psgd ----

TEST_CASE("ad_psgd with one worker is a plain SGD loop") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  const RunResult gossip = run({{"name", "ad_psgd"}, {"momentum", 0.5}}, scenario);
  const RunResult local = run({{"name", "local"}, {"local_steps", 1}, {"momentum", 0.5}}, scenario);
  CHECK(losses(gossip) == losses(local));
}

TEST_CASE("ad_psgd's active workers take as long as the longer of gradient and exchange") {
  // Two workers: 0 is active, 1 passive. A gradient takes 1 s; an exchange two messages of 0.082 s,
  // behind it.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"time", "10.5s"}};
  RunResult result = run({{"name", "ad_psgd"}}, scenario);
  CHECK(result.workers[0].gradients == 10);
  CHECK(result.workers[1].gradients == 10);
  CHECK(result.bytes == 11 * 2 * 8e6);
  // With 80 MB the exchange takes 2 (0.8 + 0.002) s.
  scenario["cost"]["model_size"] = "80MB";
  scenario["stop"] = {{"time", "10s"}};
  result = run({{"name", "ad_psgd"}}, scenario);
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
        run({{"name", "ad_psgd"}, {"graph", trial % 2 == 0 ? "ring" : "complete"}}, scenario);
    CHECK(result.updates == 300);
    CHECK(*result.final_test_loss < *result.curve[0].test_loss);
  }
}

}  // namespace
}  // namespace motley
