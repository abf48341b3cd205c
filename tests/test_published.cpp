// The published algorithms: where they coincide with others bit for bit, and their times against
// closed forms to 1e-9.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

Json with(Json scenario, const Json& algorithm) {
  scenario["algorithms"] = Json::array({algorithm});
  return scenario;
}

/// All that a run gives but its name, what it decided and how long it really took.
std::string text_of(const Json& scenario, const Json& algorithm) {
  RunResult result = simulate(with(scenario, algorithm));
  result.run = "";
  result.algorithm = "";
  result.wall_s = 0;
  result.peak_rss_mb = 0;
  result.evaluation_wall_s = 0;
  result.warnings.clear();
  result.decisions.clear();
  REQUIRE(result.status == RunStatus::ok);
  return to_json(result).dump();
}

std::vector<double> losses(const RunResult& result) {
  std::vector<double> values;
  for (const CurvePoint& point : result.curve) values.push_back(point.test_loss.value());
  return values;
}

Json equal_workers(Json scenario) {
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  return scenario;
}

const Json halving = {{"kind", "step"}, {"every_epochs", 0.5}, {"factor", 0.5}};

TEST_CASE("grouping with one group is sync, bit for bit") {
  const Json scenario = learning_scenario();
  const Json sync = {
      {"name", "sync"}, {"momentum", 0.5}, {"weight_decay", 0.01}, {"schedule", halving}};
  Json grouping = sync;
  grouping["name"] = "grouping";
  grouping["groups"] = 1;
  CHECK(text_of(scenario, grouping) == text_of(scenario, sync));
  grouping["groups"] = {{"fast-0", 1, "slow-0", "slow-1"}};
  CHECK(text_of(scenario, grouping) == text_of(scenario, sync));
}

TEST_CASE("grouping with a group for every worker and no damping is async, bit for bit") {
  const Json scenario = learning_scenario();
  const Json async = {{"name", "async"}, {"momentum", 0.5}, {"schedule", halving}};
  Json grouping = async;
  grouping["name"] = "grouping";
  grouping["groups"] = 4;
  grouping["damping"] = false;
  CHECK(text_of(scenario, grouping) == text_of(scenario, async));
  grouping["damping"] = true;
  CHECK(text_of(scenario, grouping) != text_of(scenario, async));
}

TEST_CASE("algorithms that coincide count epochs alike, whatever the sizes") {
  Json scenario = learning_scenario();
  const Json steps = {{"kind", "step"}, {"every_epochs", 0.1}, {"factor", 0.9}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 3}, {"speed", "1Gf"}}};
  scenario["defaults"]["batch_size"] = 7;
  scenario["defaults"]["schedule"] = steps;
  CHECK(text_of(scenario, {{"name", "grouping"}, {"groups", 1}}) ==
        text_of(scenario, {{"name", "sync"}}));
  scenario["cluster"]["workers"][0]["count"] = 11;
  scenario["defaults"]["batch_size"] = 5;
  scenario["defaults"]["schedule"]["every_epochs"] = 1;
  CHECK(
      text_of(scenario, {{"name", "biased_local"}, {"local_steps", 7}, {"bias_sampling", false}}) ==
      text_of(scenario, {{"name", "local"}, {"local_steps", 7}}));
}

TEST_CASE("wp_sgd on equal workers is simuparallel, bit for bit") {
  Json scenario = equal_workers(learning_scenario());
  scenario["cost"]["flops_per_sample"] = "125Mf";  // a step of 8 samples takes a second
  scenario["stop"]["updates"] = 90;                // two rounds of 4 x 10 steps and an average each
  const RunResult simu =
      simulate(with(scenario, {{"name", "simuparallel"}, {"local_steps", 10}, {"rounds", "inf"}}));
  for (const char* weights : {"contraction", "samples"}) {
    const RunResult wp =
        simulate(with(scenario, {{"name", "wp_sgd"}, {"round_time", "10s"}, {"weights", weights}}));
    CHECK(losses(wp) == losses(simu));
    REQUIRE(wp.curve.size() == simu.curve.size());
    for (std::size_t i = 0; i < wp.curve.size(); ++i) {
      CHECK(wp.curve[i].time_s == Approx(simu.curve[i].time_s).margin(1e-9).epsilon(0));
    }
  }
}

TEST_CASE("a round that is not given is one epoch, of wp_sgd as of simuparallel") {
  Json scenario = equal_workers(learning_scenario());
  scenario["stop"]["updates"] = 2000;
  const auto first_average = [&](const Json& algorithm) {
    const RunResult result = simulate(with(scenario, algorithm));
    const auto merged = std::ranges::find_if(result.curve, [](const CurvePoint& point) {
      return point.kind == EvaluatedModel::real && point.updates > 0;
    });
    REQUIRE(merged != result.curve.end());
    return *merged;
  };
  const CurvePoint simu = first_average({{"name", "simuparallel"}});
  const CurvePoint wp = first_average({{"name", "wp_sgd"}});
  CHECK(simu.epochs == Approx(1).epsilon(0.05));  // whole steps of all
  CHECK(wp.time_s == Approx(simu.time_s).epsilon(0.05));
}

TEST_CASE("biased_local on equal workers without sampling bias is local, bit for bit") {
  const Json scenario = equal_workers(learning_scenario());
  const Json local = {
      {"name", "local"}, {"local_steps", 3}, {"momentum", 0.9}, {"schedule", halving}};
  Json biased = local;
  biased["name"] = "biased_local";
  biased["bias_sampling"] = false;
  CHECK(text_of(scenario, biased) == text_of(scenario, local));
  biased["aggregation"] = "steps";
  CHECK(text_of(scenario, biased) == text_of(scenario, local));
}

TEST_CASE("backup without backups is sync, bit for bit") {
  const Json scenario = learning_scenario();
  const Json sync = {{"name", "sync"}, {"momentum", 0.5}, {"schedule", halving}};
  Json backup = sync;
  backup["name"] = "backup";
  backup["backup"] = 0;
  CHECK(text_of(scenario, backup) == text_of(scenario, sync));
  backup.erase("backup");
  backup["wait_for"] = 4;
  CHECK(text_of(scenario, backup) == text_of(scenario, sync));
}

TEST_CASE("allocation with equal batches is allreduce, and static with equal ratios is equal") {
  const Json scenario = learning_scenario();
  const Json ring = {{"name", "allreduce"}, {"momentum", 0.5}, {"schedule", halving}};
  Json allocation = ring;
  allocation["name"] = "allocation";
  allocation["mode"] = "equal";
  const std::string expected = text_of(scenario, ring);
  CHECK(text_of(scenario, allocation) == expected);
  allocation["mode"] = "static";
  allocation["ratios"] = {2, 2, 2, 2};
  allocation["data_shares"] = false;  // by default it draws from parts
  CHECK(text_of(scenario, allocation) == expected);
  allocation["ratios"] = {3, 3, 1, 1};
  CHECK(text_of(scenario, allocation) != expected);
}

TEST_CASE(
    "synchronous algorithms take the same path on any number of servers, layer by layer too") {
  Json scenario = learning_scenario();
  const std::vector<double> one = losses(simulate(with(scenario, {{"name", "sync"}})));
  CHECK(losses(simulate(with(scenario, {{"name", "sync"}, {"overlap", "layers"}}))) == one);
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 2}}};
  for (const char* placement : {"even", "fast_first", "slow_first"}) {
    for (const char* overlap : {"none", "layers"}) {
      CAPTURE(placement, overlap);
      const Json sync = {{"name", "sync"}, {"placement", placement}, {"overlap", overlap}};
      CHECK(losses(simulate(with(scenario, sync))) == one);
    }
  }
}

TEST_CASE("every algorithm gives the same bytes for every number of threads") {
  Json scenario = learning_scenario();
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 2}}};
  for (const Json& algorithm :
       {Json{{"name", "async"}, {"overlap", "layers"}},
        Json{{"name", "grouping"}, {"data_shares", true}},
        Json{{"name", "wp_sgd"}, {"round_time", "1s"}, {"inner_delay", 2}},
        Json{{"name", "biased_local"}, {"local_steps", 3}},
        Json{{"name", "od_sgd"}, {"warm_up", 3}, {"local_rule", "adaptive"}},
        Json{{"name", "allocation"}, {"period", 2}},
        Json{{"name", "backup"}, {"wait_for", 2}, {"late", "cancel"}}}) {
    const Json wanted = with(scenario, algorithm);
    CAPTURE(algorithm.dump());
    const auto text = [&](unsigned threads) {
      RunResult result = simulate(wanted, 0, threads);
      result.wall_s = result.peak_rss_mb = result.evaluation_wall_s = 0;
      CHECK(result.status == RunStatus::ok);
      return to_json(result).dump();
    };
    const std::string once = text(1);
    CHECK(text(2) == once);
    CHECK(text(3) == once);
  }
}

// ---- Times ----

constexpr double alone = 2e-3 + 8e6 / 1e8;  // of a message in timing_scenario()

Json worker(const std::string& name, int count, const std::string& speed) {
  return {{"name", name}, {"count", count}, {"speed", speed}};
}

const Json wide_server = {{"speed", "1Tf"},
                          {"link", {{"bandwidth", "100GBps"}, {"latency", "1ms"}}}};

void check_times(const RunResult& result, const std::vector<double>& expected) {
  REQUIRE(result.status == RunStatus::ok);
  REQUIRE(result.curve.size() > expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(result.curve[i + 1].time_s == Approx(expected[i]).margin(1e-9).epsilon(0));
  }
}

/// A cluster whose network takes no time to speak of.
Json compute_only() {
  Json scenario = timing_scenario();
  scenario["cost"]["model_size"] = "1B";
  scenario["cluster"]["link"] = {{"bandwidth", "1000000GBps"}, {"latency", "0s"}};
  return scenario;
}

Json one_worker_alone() {
  Json scenario = compute_only();
  scenario["cluster"]["workers"] = {worker("w", 1, "1Gf")};
  scenario["evaluate"]["every"] = 5;
  return scenario;
}

TEST_CASE("biased local takes 1/32 of sync's time for an epoch on a 32:1 cluster") {
  Json scenario = compute_only();
  scenario["model"]["samples"] = 640;
  scenario["cluster"]["workers"] = {worker("gpu", 1, "32Gf"), worker("cpu", 1, "1Gf")};
  // An epoch is N/(B W) = 320 updates of sync, N/(B W tau_fast) = 10 rounds of biased local.
  scenario["stop"]["updates"] = 320;
  const RunResult sync = simulate(with(scenario, {{"name", "sync"}}));
  scenario["stop"]["updates"] = 10;
  const RunResult biased =
      simulate(with(scenario, {{"name", "biased_local"}, {"local_steps", 32}}));
  CHECK(sync.virtual_s == Approx(320).margin(1e-9).epsilon(0));
  CHECK(biased.virtual_s == Approx(10).margin(1e-9).epsilon(0));
  REQUIRE(biased.decisions.size() == 2);
  CHECK(biased.decisions[0].value == 32);
  CHECK(biased.decisions[1].value == 1);
}

TEST_CASE("allocation by speed saves 1 - v_min/mean(v) of the time: 1/3 at 1:2, 1/2 at 1:3") {
  for (const auto& [fast, batch, saved] :
       {std::tuple{"2Gf", 3, 1.0 / 3}, std::tuple{"3Gf", 2, 1.0 / 2}}) {
    Json scenario = compute_only();
    scenario["cluster"]["workers"] = {worker("fast", 1, fast), worker("slow", 1, "1Gf")};
    scenario["defaults"]["batch_size"] = batch;
    const double equal_s = batch;  // the slow one's
    const auto times = [&](double first, double later) {
      std::vector<double> expected = {first};
      while (expected.size() < 20) expected.push_back(expected.back() + later);
      return expected;
    };
    const double even_s = equal_s * (1 - saved);
    check_times(simulate(with(scenario, {{"name", "allocation"}, {"mode", "equal"}})),
                times(equal_s, equal_s));
    check_times(simulate(with(scenario, {{"name", "allocation"}, {"mode", "static"}})),
                times(even_s, even_s));
    // Adaptive knows the speeds after its first step.
    const RunResult adaptive = simulate(with(scenario, {{"name", "allocation"}, {"period", 1}}));
    check_times(adaptive, times(equal_s, even_s));
    REQUIRE(adaptive.decisions.size() == 4);
    CHECK(adaptive.decisions[2].value + adaptive.decisions[3].value == 2 * batch);
  }
}

TEST_CASE("allocation adjusts after each epoch by default, and stops when nothing moves") {
  Json scenario = compute_only();
  scenario["model"]["samples"] = 60;
  scenario["cluster"]["workers"] = {worker("a", 1, "2Gf"), worker("b", 1, "1Gf")};
  scenario["defaults"]["batch_size"] = 6;  // five steps an epoch
  const RunResult result = simulate(with(scenario, {{"name", "allocation"}}));
  std::vector<double> expected;
  for (int i = 1; i <= 5; ++i) expected.push_back(6 * i);
  for (int i = 1; i <= 15; ++i) expected.push_back(30 + 4 * i);
  check_times(result, expected);
  CHECK(result.decisions.size() == 4);
}

TEST_CASE("groups at 3:2:1 see Y = 2, 3, 6 in the steady state") {
  Json scenario = compute_only();
  scenario["cluster"]["workers"] = {worker("fast", 2, "3Gf"), worker("middle", 4, "2Gf"),
                                    worker("slow", 6, "1Gf")};
  scenario["defaults"]["batch_size"] = 6;
  scenario["stop"] = {{"time", "6000s"}};
  scenario["evaluate"]["every"] = 1000;
  const RunResult result = simulate(with(scenario, {{"name", "grouping"}}));
  // A group's gradients are Y - 1 updates old: those the others made since its own last one.
  for (const WorkerResult& w : result.workers) {
    CAPTURE(w.name);
    const double y = w.class_name == "fast" ? 2 : w.class_name == "middle" ? 3 : 6;
    CHECK(w.mean_staleness + 1 == Approx(y).epsilon(0.005));
  }
  // Profiling: ten gradients' time of the slowest before the first update of the fast group.
  CHECK(result.decisions.size() == 12);
  CHECK(result.decisions[0].time_s == Approx(60).margin(1e-9).epsilon(0));
  CHECK(result.decisions[2].quantity == "group");
  CHECK(result.decisions[2].value == 1);
}

TEST_CASE("a run that is stopped while a server updates is no deadlock") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("w", 1, "1Gf")};
  scenario["cost"]["flops_per_update"] = "3Gf";
  scenario["cluster"]["server"] = {{"speed", "1Gf"}};
  scenario["stop"] = {{"time", "2s"}};
  CHECK(simulate(scenario).status == RunStatus::ok);
}

TEST_CASE("no point of the curve is lost at a merge") {
  Json scenario = one_worker_alone();
  const RunResult result =
      simulate(with(scenario, {{"name", "simuparallel"}, {"local_steps", 9}, {"rounds", "inf"}}));
  std::vector<std::uint64_t> updates;
  for (const CurvePoint& point : result.curve) updates.push_back(point.updates);
  CHECK(updates == std::vector<std::uint64_t>{0, 5, 10, 15, 20});
}

TEST_CASE("a server's update takes its flops, shared out over the servers") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("w", 1, "1Gf")};
  scenario["cost"]["flops_per_update"] = "0.5Gf";
  scenario["cluster"]["server"] = {{"speed", "1Gf"}};
  std::vector<double> expected;
  for (int i = 1; i <= 20; ++i) expected.push_back(i * (alone + 1 + alone + 0.5));
  check_times(simulate(scenario), expected);

  // Two servers hold half of the model each; its halves share the worker's link.
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Gf"}, {"count", 2}}};
  for (int i = 1; i <= 20; ++i)
    expected[static_cast<std::size_t>(i - 1)] = i * (alone + 1 + alone + 0.25);
  check_times(simulate(scenario), expected);
}

/// A neural network of layers 3-4-2: 16 and 10 parameters; 12 and 8 weights, so 24 + 24 and 16 + 32 flops
/// forward + backward. Scaled to 9.6 Gf on a 1 Gf/s worker: F1 2.4 s, F2 1.6 s, B2 3.2 s, B1 2.4 s;
/// and to 26 MB, of which 16 and 10 MB.
Json two_layers() {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "mlp"}, {"hidden", {4}}};
  scenario["data"] = {
      {"kind", "synthetic"}, {"train", 50}, {"test", 10}, {"features", 3}, {"classes", 2}};
  scenario["cost"] = {{"flops_per_sample", "9.6Gf"}, {"model_size", "26MB"}};
  scenario["cluster"]["workers"] = {worker("w", 1, "1Gf")};
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "10MBps"}, {"latency", "1ms"}};
  scenario["stop"]["updates"] = 6;
  return scenario;
}

std::vector<double> periods(const RunResult& result) {
  std::vector<double> steps;
  for (std::size_t i = 3; i < result.curve.size(); ++i) {
    steps.push_back(result.curve[i].time_s - result.curve[i - 1].time_s);
  }
  return steps;
}

TEST_CASE("layer by layer, only the input layer's round trip is exposed") {
  const RunResult whole = simulate(two_layers());
  const RunResult layers = simulate(with(two_layers(), {{"name", "sync"}, {"overlap", "layers"}}));
  // Whole: 26 MB there and back. By layers: the second layer's 10 MB travel and are back behind the
  // first one's backward step, its 16 MB there and back, and its forward step.
  for (const double period : periods(whole)) {
    CHECK(period == Approx(2 * (2e-3 + 2.6) + 9.6).margin(1e-9).epsilon(0));
  }
  for (const double period : periods(layers)) {
    CHECK(period == Approx(2 * (2e-3 + 1.6) + 9.6).margin(1e-9).epsilon(0));
  }
  // At the start both layers come at once and share the link: the second's 10 MB take 2 s, the
  // first's last 6 MB another 0.6 s. Then F1 F2 B2 B1, and the first layer's way back.
  CHECK(layers.curve[1].time_s == Approx(2e-3 + 2.6 + 9.6 + 2e-3 + 1.6).margin(1e-9).epsilon(0));
}

TEST_CASE("the input layer belongs on the fastest server") {
  Json scenario = two_layers();
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {
      {{"speed", "1Tf"}, {"link", {{"bandwidth", "2MBps"}, {"latency", "1ms"}}}},
      {{"speed", "1Tf"}, {"link", {{"bandwidth", "10MBps"}, {"latency", "1ms"}}}}};
  const auto period = [&](const char* placement) {
    const Json sync = {{"name", "sync"}, {"overlap", "layers"}, {"placement", placement}};
    return periods(simulate(with(scenario, sync))).back();
  };
  // fast_first: the second layer's 10 MB over the slow server's link, 5 s each way, are the longer
  // way round (10.004 s against B1 + 3.204 s + F1 = 8.004 s); then F2 and B2.
  CHECK(period("fast_first") == Approx(2 * (2e-3 + 5) + 1.6 + 3.2).margin(1e-9).epsilon(0));
  // slow_first: the first layer's 16 MB over that link, 8 s each way, with nothing to hide behind.
  CHECK(period("slow_first") == Approx(2 * (2e-3 + 8) + 9.6).margin(1e-9).epsilon(0));
}

TEST_CASE("backup goes on with the first gradients; the late one's is dropped, or stopped") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("fast", 2, "4Gf"), worker("slow", 1, "1Gf")};
  scenario["cluster"]["server"] = wide_server;
  const double step = alone + 0.25 + alone;
  std::vector<double> expected;
  for (int i = 1; i <= 20; ++i) expected.push_back(step * i);
  const RunResult finish = simulate(with(scenario, {{"name", "backup"}, {"backup", 1}}));
  check_times(finish, expected);
  const RunResult cancel =
      simulate(with(scenario, {{"name", "backup"}, {"wait_for", 2}, {"late", "cancel"}}));
  check_times(cancel, expected);
  CHECK(finish.workers[2].gradients > 0);
  CHECK(finish.workers[2].discarded_s ==
        Approx(static_cast<double>(finish.workers[2].gradients)).margin(1.0));
  CHECK(cancel.workers[2].gradients == 0);  // every one was stopped by the next model
  CHECK(cancel.workers[2].discarded_s > 0);
  CHECK(cancel.workers[2].compute_s < 0.5);  // what the end of the run found under way
  CHECK(losses(cancel) == losses(finish));   // the same gradients were used
}

TEST_CASE("wp_sgd ends everybody's round at the same moment and weighs by steps made") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("fast", 1, "4Gf"), worker("slow", 1, "1Gf")};
  scenario["stop"] = {{"time", "7.7s"}};
  const RunResult result = simulate(with(scenario, {{"name", "wp_sgd"}, {"round_time", "2.5s"}}));
  // A round is 2.5 s and a ring of two: 2 x (2 ms + 4 MB). Ten steps of the fast one, two of the
  // slow one, whose third is lost.
  const double ring = 2 * (2e-3 + 4e6 / 1e8);
  CHECK(result.bytes == 2 * 2 * 8e6);  // the third ring is still under way
  CHECK(result.workers[0].gradients == 30);
  CHECK(result.workers[1].gradients == 6);
  CHECK(result.workers[1].discarded_s == Approx(3 * 0.5).margin(1e-9).epsilon(0));
  CHECK(result.workers[1].transfer_s ==
        Approx(2 * ring + std::min(ring, 7.7 - 7.5 - 2 * ring)).margin(1e-9).epsilon(0));
}

TEST_CASE("wp_sgd merges each time all workers together have computed an epoch") {
  // Two workers at 1 Gf/s share 40 samples of 1 Gf: a round is 20 s, a ring of two 0.084 s.
  Json scenario = timing_scenario();
  scenario["model"]["samples"] = 40;
  scenario["cluster"]["workers"] = {worker("w", 2, "1Gf")};
  scenario["stop"] = {{"time", "30s"}};
  scenario["evaluate"] = {{"every", 1000}};
  const auto merges = [&](const Json& wp) {
    std::vector<double> times;
    const RunResult result = simulate(with(scenario, wp));
    for (const CurvePoint& point : result.curve) {
      if (point.time_s > 0 && point.time_s < result.virtual_s) times.push_back(point.time_s);
    }
    CHECK(result.bytes == static_cast<double>(times.size()) * 2 * 8e6);
    return times;
  };
  // A merge is evaluated though no point of the curve is due.
  const std::vector<double> once = merges({{"name", "wp_sgd"}});
  REQUIRE(once.size() == 1);
  CHECK(once[0] == Approx(20.084).epsilon(1e-9));
  // A round that is longer than the run never ends.
  CHECK(merges({{"name", "wp_sgd"}, {"round_time", "1000h"}}).empty());
  // Two steps of the slowest are the least: with 2 samples of an epoch not 1 s, but 2 s.
  scenario["model"]["samples"] = 2;
  scenario["stop"] = {{"time", "3s"}};
  const std::vector<double> short_rounds = merges({{"name", "wp_sgd"}});
  REQUIRE(!short_rounds.empty());
  CHECK(short_rounds[0] == Approx(2.084).epsilon(1e-9));
}

// ---- Values: in one dimension f = (x-1)^2/2 from x = 0, so that the error e = x - 1 is the
// gradient and the loss e^2/2 ----

constexpr double eta = 0.25;

Json one_dimension() {
  Json scenario = compute_only();
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 1}, {"smoothness", 1}, {"noise", 0}};
  scenario["defaults"]["step_size"] = eta;
  return scenario;
}

void check_error(const CurvePoint& point, double error) {
  CHECK(point.test_loss.value() == Approx(error * error / 2).epsilon(1e-5));
}

TEST_CASE("grouping damps by 1/Y") {
  Json scenario = one_dimension();
  scenario["cluster"]["workers"] = {worker("a", 1, "0.5Gf"), worker("b", 1, "0.333333333333Gf")};
  const RunResult result = simulate(with(scenario, {{"name", "grouping"}, {"groups", 2}}));
  // a at 2 s and 4 s, b at 3 s. Each of the later two comes after one update of the other.
  const double e0 = -1;
  const double e1 = e0 - eta * e0;
  const double e2 = e1 - eta / 2 * e0;
  const double e3 = e2 - eta / 2 * e1;
  check_error(result.curve[1], e1);
  check_error(result.curve[2], e2);
  check_error(result.curve[3], e3);
}

TEST_CASE("wp_sgd weighs by contraction or by steps, and uses gradients of d steps before") {
  Json scenario = one_dimension();
  scenario["cluster"]["workers"] = {worker("fast", 1, "4Gf"), worker("slow", 1, "1Gf")};
  scenario["stop"] = {{"time", "10s"}};
  const double fast = -std::pow(1 - eta, 4);
  const double slow = -(1 - eta);
  const auto merged = [&](Json wp) {
    wp["name"] = "wp_sgd";
    wp["round_time"] = "1s";
    wp["rounds"] = 1;
    const RunResult result = simulate(with(scenario, wp));
    CHECK(result.virtual_s == Approx(1).margin(1e-9));  // over with its only round
    CHECK(result.updates == 6);                         // five steps and a merge
    return result.curve.back();
  };
  const double p = std::pow(1 - 0.5 * eta, 3);  // of the slow one, relative
  check_error(merged({{"lambda", 0.5}}), (fast + p * slow) / (1 + p));
  check_error(merged({{"weights", "samples"}}), (4 * fast + slow) / 5);
  check_error(merged({{"lambda", 0}}), (fast + slow) / 2);

  double before = -1;
  double now = -1;
  for (int t = 0; t < 4; ++t) {
    const double next = now - eta * before;
    before = now;
    now = next;
  }
  scenario["cluster"]["workers"] = {worker("only", 1, "4Gf")};
  const RunResult delayed = simulate(with(
      scenario, {{"name", "wp_sgd"}, {"round_time", "1s"}, {"rounds", 1}, {"inner_delay", 1}}));
  check_error(delayed.curve.back(), now);
}

TEST_CASE("merge weights sum to 1") {
  const Experiment experiment = experiment_of(learning_scenario());
  const RunFacts facts = experiment.facts();
  for (const char* kind : {"contraction", "samples"}) {
    Json parameters = {{"step_size", 0.5}, {"batch_size", 8}, {"weights", kind}, {"lambda", 0.1}};
    const auto wp = find_algorithm("wp_sgd", {}).make(parameters, {}, facts);
    for (const std::vector<std::uint64_t>& steps :
         {std::vector<std::uint64_t>{0, 0, 0, 0}, {1, 5, 2, 9}, {100000, 1, 0, 7}}) {
      const std::vector<double> weights = wp->merge_weights(steps);
      CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(1).epsilon(1e-12));
      for (const double weight : weights) CHECK(weight >= 0);
    }
  }
}

TEST_CASE("biased local weighs the models as asked") {
  Json scenario = one_dimension();
  scenario["cluster"]["workers"] = {worker("fast", 1, "4Gf"), worker("slow", 2, "1Gf")};
  scenario["stop"]["updates"] = 1;
  const double fast = -std::pow(1 - eta, 4);
  const double slow = -(1 - eta);
  const auto after_a_round = [&](Json biased) {
    biased["name"] = "biased_local";
    biased["local_steps"] = 4;
    return simulate(with(scenario, biased)).curve.back();
  };
  check_error(after_a_round({}), (fast + 2 * slow) / 3);
  check_error(after_a_round({{"aggregation", "steps"}}), (4 * fast + 2 * slow) / 6);
  check_error(after_a_round({{"aggregation", "slow_share"}, {"slow_share", 0.1}}),
              0.9 * fast + 0.1 * slow);
}

// ---- Mistakes ----

std::string mistake(const Json& algorithm, const Json& scenario = learning_scenario()) {
  try {
    experiment_of(with(scenario, algorithm));
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "none";
}

TEST_CASE("bad parameters are errors with their place") {
  const std::string at = "/algorithms/0";
  CHECK(mistake({{"name", "grouping"}, {"groups", 0}}).starts_with(at + "/groups: must be "));
  CHECK(mistake({{"name", "grouping"}, {"groups", 5}}) == "none");  // at most
  CHECK(mistake({{"name", "grouping"}, {"groups", "some"}}) ==
        at + "/groups: must be \"auto\", a whole number of at least 1, or lists of workers, got "
             "\"some\"");
  CHECK(mistake({{"name", "grouping"}, {"groups", {{"fast-0"}, {"fast-9"}}}}) ==
        at +
            "/groups/1/0: must be the name of a worker or a rank below 4 (did you mean 'fast-0'?), "
            "got \"fast-9\"");
  CHECK(mistake({{"name", "grouping"}, {"groups", {{0, 1}, {1}}}}) ==
        at + "/groups/1/0: must not be in two groups, got 1");
  CHECK(mistake({{"name", "grouping"}, {"groups", {{0, 1}, {2}}}}) ==
        at + "/groups: must put every worker into a group, but not slow-1");
  CHECK(mistake({{"name", "stale"}, {"staleness", -1}}) ==
        at + "/staleness: must be a whole number of at least 0 or \"inf\", got -1");
  CHECK(mistake({{"name", "allocation"}, {"mode", "static"}, {"ratios", {1, 2}}}) ==
        at + "/ratios: must be one number for each of the 4 workers, got 2");
  CHECK(mistake({{"name", "allocation"}, {"ratios", {1, 2, 3, 4}}}) ==
        at + "/ratios: is only for mode = static: remove it");
  CHECK(mistake({{"name", "backup"}, {"backup", 4}}) ==
        at + "/backup: must be below the number of workers, 4, got 4");
  CHECK(mistake({{"name", "backup"}, {"wait_for", 5}}) ==
        at + "/wait_for: must be at most the number of workers, 4, got 5");
  CHECK(mistake({{"name", "backup"}}) == at + ": needs exactly one of \"backup\" and \"wait_for\"");
  CHECK(mistake({{"name", "biased_local"}, {"local_steps", 0}}) ==
        at + "/local_steps: must be a whole number of at least 1, got 0");
  CHECK(mistake({{"name", "biased_local"}, {"aggregation", "slow_share"}}) ==
        at + "/slow_share: must be given with aggregation = slow_share");
  CHECK(mistake({{"name", "biased_local"}, {"slow", {"nobody"}}}) ==
        at + "/slow/0: must be the name of a worker or a rank below 4, got \"nobody\"");
  CHECK(mistake({{"name", "simuparallel"}, {"local_steps", 0}}) ==
        at + "/local_steps: must be a whole number of at least 1 or \"auto\", got 0");
  CHECK(mistake({{"name", "wp_sgd"}, {"lambda", 20}}) ==
        at + "/lambda: must be below 1/step_size, or nothing contracts, got 20.0");
  CHECK(mistake({{"name", "async"}, {"overlap", "layers"}, {"push_every", 2}})
            .starts_with(at + "/overlap: layers cannot go with fetch_every or push_every above 1"));

  Json parts = learning_scenario();
  parts["data"]["partition"] = {{"kind", "by_label"}};
  CHECK(mistake({{"name", "biased_local"}}, parts) ==
        at + "/bias_sampling: deals the data itself: /data/partition must be of kind iid");
  CHECK(mistake({{"name", "grouping"}, {"data_shares", true}}, parts) ==
        at + "/data_shares: deals the data itself: /data/partition must be of kind iid");
  CHECK(mistake({{"name", "biased_local"}, {"bias_sampling", false}}, parts) == "none");
  Json few = learning_scenario();  // of four workers
  few["data"]["train"] = 3;
  for (const Json& deals : {Json{{"name", "grouping"}, {"data_shares", true}},
                            Json{{"name", "allocation"}, {"data_shares", true}}}) {
    CHECK(mistake(deals, few) ==
          at + "/data_shares: deals the data to 4 workers, and there are only 3 training samples");
  }
  CHECK(mistake({{"name", "allocation"}, {"mode", "dbs"}}, few) ==
        at + "/mode: deals the data to 4 workers, and there are only 3 training samples");

  Json servers = learning_scenario();
  servers["cluster"]["servers"] = {{{"speed", "1Tf"}}};
  CHECK(mistake({{"name", "sync"}}, servers) ==
        "/cluster/servers: is instead of \"server\": remove one of them");
}

}  // namespace
}  // namespace motley
