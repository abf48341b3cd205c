// DiLoCo in its three modes.
#include <cmath>

#include "sim/base/json.hpp"
#include "tests/one_dimension.hpp"

namespace motley {
namespace {

Json diloco(const char* mode, const Json& more = Json::object()) {
  Json algorithm = {{"name", "diloco"}, {"mode", mode}};
  algorithm.update(more);
  return algorithm;
}

// ---- Streaming ----

TEST_CASE("diloco streaming in one fragment, without delay or mixing, is the synchronous mode") {
  const Json inner = {{"kind", "adamw"}};
  for (const Json& more :
       {Json{{"local_steps", 4}},
        Json{{"local_steps", 4}, {"rule", inner}, {"step_size", 0.01}, {"outer_momentum", 0.5}}}) {
    Json streaming = more;
    streaming.update({{"fragments", 1}, {"overlap_steps", 0}, {"mix", 0}});
    const RunResult a = run_of(diloco("streaming", streaming));
    const RunResult b = run_of(diloco("synchronous", more));
    check_near(a, b, 1e-4);
    CHECK(a.bytes == b.bytes);
  }
}

TEST_CASE("diloco streaming with one step and no outer momentum is allreduce, to rounding") {
  check_near(run_of(diloco("streaming", {{"local_steps", 1},
                                         {"fragments", 1},
                                         {"overlap_steps", 0},
                                         {"mix", 0},
                                         {"outer_step_size", 1},
                                         {"outer_momentum", 0}})),
             run_of({{"name", "local"}, {"local_steps", 1}}));
}

TEST_CASE("diloco streams fragments in turn, applied later and mixed") {
  // Two equal parameters in two fragments: H = 6, so each fragment's turn is 3 steps, of which the last is
  // made while the mean is under way. All workers are equal: the mean is each one's.
  Json scenario = one_dimension(2);
  scenario["model"].update({{"dimension", 2}, {"strong_convexity", 1}});
  scenario["stop"] = {{"updates", 8}};
  const double eta_out = 0.7;
  const double b = 0.9;
  const double a = 0.3;
  const RunResult result = run_of(diloco("streaming", {{"local_steps", 6},
                                                       {"fragments", 2},
                                                       {"overlap_steps", 1},
                                                       {"mix", a},
                                                       {"outer_step_size", eta_out},
                                                       {"outer_momentum", b}}),
                                  scenario);
  double x[2] = {-1, -1};
  double y[2] = {-1, -1};
  double m[2] = {0, 0};
  for (std::size_t turn = 1; turn <= 8; ++turn) {
    const std::size_t f = (turn - 1) % 2;
    for (double& value : y) value *= (1 - eta) * (1 - eta);
    const double d = x[f] - y[f];
    for (double& value : y) value *= 1 - eta;
    m[f] = b * m[f] + d;
    x[f] -= eta_out * (d + b * m[f]);
    y[f] = a * y[f] + (1 - a) * x[f];
    CAPTURE(turn);
    CHECK(*result.curve[turn].test_loss ==
          Approx((x[0] * x[0] + x[1] * x[1]) / 2).epsilon(1e-4).margin(1e-7));
  }
}

TEST_CASE("diloco's fragments take their share of the bytes and hide behind steps") {
  // Four workers, one-second steps, models of 8 MB over 100 MB/s: a ring takes 6 (1 + 1) ms for links and
  // 1.5 * 0.08 s; of a quarter model, 0.03 s and the same latencies.
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 8}, {"noise", 0}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 8}};
  const Json more = {{"local_steps", 8}, {"fragments", 4}};
  Json exposed = more;
  exposed["overlap_steps"] = 0;
  const RunResult a = run_of(diloco("streaming", exposed), scenario);
  Json hidden = more;
  hidden["overlap_steps"] = 1;
  const RunResult c = run_of(diloco("streaming", hidden), scenario);
  CHECK(a.bytes == 8 * 6 * 2e6);  // 2 (W - 1) quarters of a model each
  CHECK(c.bytes == a.bytes);
  CHECK(c.virtual_s == Approx(8 * 2).epsilon(1e-9));
  CHECK(a.virtual_s == Approx(8 * (2 + 6 * (0.002 + 5e5 / 1e8))).epsilon(1e-9));
}

// ---- Asynchronous ----

TEST_CASE("diloco's delayed Nesterov goes as its formulas say") {
  // One worker: every push is fresh. N = 3.
  Json scenario = one_dimension(1);
  scenario["stop"] = {{"updates", 12}};
  const double eta_out = 0.6;
  const double b = 0.5;
  const RunResult result = run_of(
      diloco(
          "asynchronous",
          {{"local_steps", 2}, {"delay", 3}, {"outer_step_size", eta_out}, {"outer_momentum", b}}),
      scenario);
  double e = -1;
  double m = 0;
  double sum = 0;
  for (std::size_t push = 1; push <= 12; ++push) {
    const double d = e - (1 - eta) * (1 - eta) * e;
    e -= eta_out * d / 3;
    sum += d;
    if (push % 3 == 0) {
      m = b * m + sum / 3;
      e -= eta_out * b * m;
      sum = 0;
    }
    CAPTURE(push);
    check_error(result.curve[push], e);
  }
}

TEST_CASE("diloco asynchronous with one worker, N = 1, is the synchronous mode, to rounding") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  const RunResult a = run_of(diloco("asynchronous", {{"local_steps", 3}, {"delay", 1}}), scenario);
  const RunResult b = run_of(diloco("synchronous", {{"local_steps", 3}}), scenario);
  for (std::size_t i = 0; i < a.curve.size(); ++i) {
    CHECK(*a.curve[i].test_loss == Approx(*b.curve[i].test_loss).epsilon(1e-4));
  }
}

TEST_CASE("dylu gives local steps in proportion to speed, rounded down") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "a"}, {"speed", "10Gf"}},
                                    {{"name", "b"}, {"speed", "7Gf"}},
                                    {{"name", "c"}, {"speed", "1.9Gf"}},
                                    {{"name", "d"}, {"speed", "100Mf"}}};
  const RunResult result =
      run_of(diloco("asynchronous", {{"local_steps", 10}, {"dylu", true}}), scenario);
  std::vector<double> steps;
  for (const Decision& decision : result.decisions) steps.push_back(decision.value);
  CHECK(steps == std::vector<double>{10, 7, 1, 1});
}

TEST_CASE("pushes within the grace window are answered together") {
  // Two workers at 1 and 0.5 Gf/s, one step, messages without time. With a window of 1.5 s the first push,
  // at 1 s, is answered at 2.5 s with the second one's, of 2 s.
  Json scenario = free_messages(one_dimension(2));
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "1Gf"}},
                                    {{"name", "slow"}, {"speed", "500Mf"}}};
  scenario["stop"] = {{"time", "10.1s"}};
  const Json one = {{"local_steps", 1}};
  const RunResult at_once = run_of(diloco("asynchronous", one), scenario);
  CHECK(at_once.workers[0].gradients == 10);
  CHECK(at_once.workers[1].gradients == 5);
  Json window = one;
  window["grace"] = "1500ms";
  const RunResult together = run_of(diloco("asynchronous", window), scenario);
  CHECK(together.workers[0].gradients == 4);  // at 1, 3.5, 6, 8.5
  CHECK(together.workers[1].gradients == 4);  // at 2, 4.5, 7, 9.5
}

TEST_CASE("diloco asynchronous sends two models for every update") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 7}};
  CHECK(run_of(diloco("asynchronous", {{"local_steps", 2}}), scenario).bytes == 7 * 2 * 1e6);
}

TEST_CASE("diloco says what does not go together") {
  const Json scenario = learning_scenario();
  const auto refused = [](const Json& where, const Json& algorithm, const char* why) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(where, algorithm)), Catch::Contains(why));
  };
  refused(scenario, diloco("streaming", {{"local_steps", 3}}), "/fragments: must be at most");
  refused(scenario, diloco("streaming", {{"local_steps", 8}, {"overlap_steps", 2}}),
          "/overlap_steps: must be less than");
  Json tiny = scenario;
  tiny["data"].update({{"features", 1}, {"classes", 2}});
  tiny["model"] = {{"kind", "softmax"}};  // two weights and two biases
  refused(tiny, diloco("streaming", {{"local_steps", 8}, {"fragments", 5}, {"overlap_steps", 0}}),
          "/fragments: must be at most the number of the model's parameters, 4, got 5");
  refused(on_servers(scenario, 2), diloco("asynchronous"), "needs a single server");
  const auto only_for = [&](const char* mode, const Json& more) {
    for (const char* other : {"synchronous", "asynchronous", "streaming"}) {
      CAPTURE(other, more.dump());
      const Json scenario_with = with_algorithm(scenario, diloco(other, more));
      if (std::string(mode) == other) {
        CHECK_NOTHROW(experiment_of(scenario_with));
      } else {
        CHECK_THROWS_WITH(
            experiment_of(scenario_with),
            Catch::Contains("/" + more.begin().key() + ": is only for mode = " + mode));
      }
    }
  };
  only_for("asynchronous", {{"delay", 2}});
  only_for("asynchronous", {{"dylu", true}});
  only_for("asynchronous", {{"grace", "1s"}});
  only_for("streaming", {{"fragments", 2}});
  only_for("streaming", {{"overlap_steps", 2}});
  only_for("streaming", {{"mix", 0.25}});
}

}  // namespace
}  // namespace motley
