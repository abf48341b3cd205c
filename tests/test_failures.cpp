// Runs that go wrong say so, and say why.
#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

/// The server waits for pushes that nobody sends.
struct Stuck : Algorithm {
  void server(Server& me) const override {
    for (;;) me.next_push();
  }
  void worker(Worker& me) const override {
    for (;;) me.pull();
  }
};

/// Worker 0 stays away from the barrier.
struct HalfStuck : Algorithm {
  bool needs_server() const override { return false; }
  void worker(Worker& me) const override {
    Model x = me.initial_model();
    for (;;) {
      me.gradient(x, 1);
      if (me.rank() == 0)
        me.pull();
      else
        me.barrier();
    }
  }
};

struct Throwing : Algorithm {
  bool needs_server() const override { return false; }
  void worker(Worker& me) const override {
    me.gradient(me.initial_model(), 1);
    throw std::runtime_error("the algorithm gave up");
  }
};

/// Gradients are computed and thrown away, every second one.
struct Wasteful : Algorithm {
  void server(Server& me) const override {
    Model x = me.initial_model();
    me.broadcast_model(x);
    for (std::size_t n = 0;; ++n) {
      const Push push = me.next_push();
      if (n % 2 == 0)
        me.discard(push);
      else
        me.finish_update(x, push);
      me.send_model(push.sender, x);
    }
  }
  void worker(Worker& me) const override {
    for (;;) me.push(me.gradient(me.pull(), 1));
  }
};

Json two_workers() {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "a"}, {"speed", "1Gf"}},
                                    {{"name", "b"}, {"speed", "2Gf"}}};
  return scenario;
}

TEST_CASE("a deadlock is a failed run that says who waits for whom") {
  const RunResult result = simulate_with<Stuck>(two_workers());
  CHECK(result.status == RunStatus::failed);
  CHECK(result.reason ==
        "deadlock at 0 s: a-0, b-0 wait for a model from the server; server waits for a push from "
        "any worker");
}

TEST_CASE("a deadlock is seen in a run that would stop by time, too") {
  Json scenario = two_workers();
  scenario["stop"] = {{"time", "100s"}};
  const RunResult result = simulate_with<HalfStuck>(scenario);
  CHECK(result.status == RunStatus::failed);
  CHECK(result.reason ==
        "deadlock at 1 s: a-0 waits for a model from the server; b-0 waits for the others "
        "at the barrier");
}

TEST_CASE("what an algorithm throws is the reason of the failure") {
  CHECK_THROWS_WITH(simulate_with<Throwing>(two_workers()), "the algorithm gave up");
}

TEST_CASE("the time of a discarded gradient counts as discarded") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 5}};
  const RunResult result = simulate_with<Wasteful>(scenario);
  REQUIRE(result.status == RunStatus::ok);
  // Gradients 1, 3, 5, 7, 9 are thrown away; 2, 4, 6, 8, 10 make the five updates. Each takes 1 s.
  CHECK(result.workers[0].gradients == 10);
  CHECK(result.workers[0].discarded_s == Approx(5).margin(1e-9));
  CHECK(result.workers[0].compute_s == Approx(5).margin(1e-9));
  CHECK(result.workers[0].compute_s + result.workers[0].transfer_s + result.workers[0].wait_s +
            result.workers[0].discarded_s ==
        Approx(result.virtual_s).margin(1e-9));
}

TEST_CASE("a step size far too large is reported as diverged, not as a number") {
  Json scenario = learning_scenario();
  scenario["defaults"]["step_size"] = 1e20;
  for (const char* name : {"sync", "allreduce", "async", "stale", "local"}) {
    scenario["algorithms"] = {{{"name", name}}};
    const RunResult result = simulate(scenario);
    CAPTURE(name, result.reason);
    CHECK(result.status == RunStatus::diverged);
    CHECK_FALSE(result.final_test_accuracy);
    CHECK_FALSE(result.final_test_loss);
    CHECK(result.reason.find("try a smaller step_size") != std::string::npos);
  }
}

TEST_CASE("a loss that grows past the limit is diverged before it overflows") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["defaults"]["step_size"] = 3;  // above 2/L: every step doubles the distance
  scenario["stop"] = {{"updates", 1000}};
  const RunResult result = simulate(scenario);
  CHECK(result.status == RunStatus::diverged);
  // The loss quadruples a step in the steepest direction: past a thousandfold after 5 or 6.
  CHECK(result.updates < 10);
}

TEST_CASE("a run that diverges with its very last update has diverged") {
  Json scenario = learning_scenario();
  scenario["defaults"]["step_size"] = 1e38;
  scenario["stop"] = {{"updates", 1}};
  for (const char* name : {"sync", "allreduce", "async", "local"}) {
    scenario["algorithms"] = {{{"name", name}}};
    const RunResult result = simulate(scenario);
    CAPTURE(name);
    CHECK(result.status == RunStatus::diverged);
    CHECK_FALSE(result.final_test_loss);
    CHECK_FALSE(result.best_test_accuracy);
  }
}

TEST_CASE("a target that the initial model reaches is reached at once") {
  Json scenario = learning_scenario();
  scenario["target"] = {{"loss", 1e6}};
  scenario["stop"] = {{"updates", 5}};
  CHECK(simulate(scenario).time_to_target_s == 0.0);
  CHECK(simulate(scenario).updates == 5);
  scenario["stop"]["at_target"] = true;
  const RunResult stopped = simulate(scenario);
  CHECK(stopped.status == RunStatus::ok);
  CHECK(stopped.virtual_s == 0);
  CHECK(stopped.gradients == 0);
}

TEST_CASE(
    "a worker's own steps between fetches follow the schedule of the whole cluster's epochs") {
  // Noiseless quadratic, one coordinate, L = 1, four workers of batch 1, an epoch of 32 samples.
  // After half an epoch (4 own steps of each worker) the step size becomes 0: from its fifth step
  // on a worker stays where it is, and so does the server, whose 16 pushes of half an epoch came
  // from the first four steps.
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 1}, {"noise", 0}, {"samples", 32}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["defaults"]["step_size"] = 0.01;
  scenario["defaults"]["schedule"] = {{"kind", "step"}, {"every_epochs", 0.5}, {"factor", 1e-30}};
  scenario["algorithms"] = {{{"name", "async"}, {"fetch_every", 64}, {"push_every", 1}}};
  scenario["stop"] = {{"updates", 40}};
  const RunResult result = simulate(scenario);
  // A worker's own model after k <= 4 steps: distance to the optimum 0.99^k, gradient -0.99^k;
  // later gradients are all at 0.99^4. So the mean mini-batch loss settles at 1/2 * 0.99^8.
  const auto last =
      std::find_if(result.curve.rbegin(), result.curve.rend(),
                   [](const CurvePoint& point) { return point.train_loss.has_value(); });
  REQUIRE(last != result.curve.rend());
  CHECK(*last->train_loss == Approx(0.5 * std::pow(0.99, 8)).epsilon(1e-5));
}

TEST_CASE("a run stops at its number of updates even when more are ready at that moment") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 6}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 3}};
  scenario["algorithms"] = {{{"name", "async"}}};
  CHECK(simulate(scenario).updates == 3);
}

TEST_CASE("at_target stops at the first evaluation that reaches the target") {
  Json scenario = learning_scenario();
  scenario["target"] = {{"accuracy", 0.5}};
  scenario["stop"] = {{"updates", 500}, {"at_target", true}};
  const RunResult result = simulate(scenario);
  REQUIRE(result.time_to_target_s);
  CHECK(*result.time_to_target_s == result.virtual_s);
  CHECK(result.updates < 500);
  CHECK(*result.final_test_accuracy >= 0.5);
  for (std::size_t i = 0; i + 1 < result.curve.size(); ++i) {
    CHECK(*result.curve[i].test_accuracy < 0.5);
  }
}

}  // namespace
}  // namespace motley
