// Compressed and overlapped relatives of od_sgd, DASO on nodes, and batches that follow speeds.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "algorithms/support/batch_allotment.hpp"
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

// ---- cd_sgd, cp_sgd ----

TEST_CASE("cd_sgd and cp_sgd without compression are od_sgd, bit for bit") {
  for (const char* local_rule : {"sgd", "compensated", "adaptive"}) {
    for (const char* name : {"cd_sgd", "cp_sgd"}) {
      const Json extra = {{"warm_up", 5}, {"local_rule", local_rule}, {"momentum", 0.5}};
      Json plain = {{"name", "od_sgd"}};
      Json compressed = {{"name", name}, {"compress", {{"kind", "none"}}}, {"correct_every", 3}};
      plain.update(extra);
      compressed.update(extra);
      CHECK(same_run(run_of(compressed), run_of(plain)));
    }
  }
}

TEST_CASE("cd_sgd that never corrects is od_sgd with the same compression, bit for bit") {
  const Json two_bits = {{"kind", "quantize"}, {"bits", 2}};
  CHECK(same_run(run_of({{"name", "cd_sgd"}, {"warm_up", 5}, {"correct_every", "inf"}}),
                 run_of({{"name", "od_sgd"}, {"warm_up", 5}, {"compress", two_bits}})));
}

TEST_CASE("cd_sgd's bytes are two bits an entry, and all of them every k-th time") {
  // Two workers and a model of 1000 entries, 4000 B: 2 bits each and the scale are 254 B. Ten iterations of
  // which every fourth is sent in full: eight small pushes and two large ones of each worker. Before the
  // tenth update there are ten models out for each. Another two gradients may be on their way.
  Json scenario = timing_scenario();
  scenario["model"]["dimension"] = 1000;
  scenario["cost"]["model_size"] = "4000B";
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 10}};
  const RunResult result =
      run_of({{"name", "cd_sgd"}, {"warm_up", 100}, {"correct_every", 4}}, scenario);
  CHECK(result.bytes == 2 * (8 * 254 + 2 * 4000) + 2 * 10 * 4000);
  const RunResult top_k = run_of({{"name", "cd_sgd"},
                                  {"warm_up", 100},
                                  {"correct_every", "inf"},
                                  {"compress", {{"kind", "top_k"}, {"share", 0.01}}}},
                                 scenario);
  // Ten entries of a value and an index, 4 B each.
  CHECK(top_k.bytes == 2 * 10 * 10 * 8 + 2 * 10 * 4000);
}

TEST_CASE("a push in full precision brings what compression left out") {
  // Five dimensions, eigenvalues 2, from x = 0 to an optimum of 1: top_k with a share of a fifth sends one entry of
  // five, and every second push brings all, with what was left out before.
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "quadratic"},
                       {"dimension", 5},
                       {"smoothness", 2},
                       {"strong_convexity", 2},
                       {"noise", 0}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 2}};
  scenario["defaults"]["step_size"] = 0.1;
  const RunResult result = run_of({{"name", "cd_sgd"},
                                   {"warm_up", 100},
                                   {"correct_every", 2},
                                   {"compress", {{"kind", "top_k"}, {"share", 0.2}}}},
                                  scenario);
  // All errors are -1, gradients -2. The first of equal ones is sent: its error is then -0.8. The second push
  // is the gradient, -1.6 and four times -2, with four times -2 left out before.
  const double first = -0.8 + 0.1 * 1.6;
  const double others = -1 + 0.1 * 4;
  CHECK(*result.curve[1].test_loss == Approx(0.8 * 0.8 + 4).epsilon(1e-5));
  CHECK(*result.curve[2].test_loss == Approx(first * first + 4 * others * others).epsilon(1e-5));
}

TEST_CASE("encoding takes the flops that are said of an entry") {
  // A gradient of 1 Gf takes a second; 8 MB are 2e6 entries, at 100 flops 0.2 s more on the worker.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 4}};
  Json sign = {{"kind", "sign"}};
  const RunResult free = run_of({{"name", "sync"}, {"compress", sign}}, scenario);
  sign["encode_flops"] = 100;
  const RunResult paid = run_of({{"name", "sync"}, {"compress", sign}}, scenario);
  CHECK(paid.virtual_s - free.virtual_s == Approx(4 * 0.2).epsilon(1e-9));
  CHECK(losses(paid) == losses(free));
  CHECK_THROWS_WITH(
      experiment_of(
          with_algorithm(scenario, {{"name", "sync"}, {"compress", sign}, {"overlap", "layers"}})),
      Catch::Contains("/compress/encode_flops: cannot be combined with overlap = layers"));
}

TEST_CASE("every algorithm that pushes gradients can compress them") {
  // Those with a server that cannot push models, or differences of models.
  const std::set<std::string> push_models = {"local",    "fedavg",  "fednova", "scaffold",
                                             "fedasync", "fedbuff", "fedlalr"};
  const Json scenario = learning_scenario();
  for (Json algorithm : every_algorithm()) {
    const std::string name = algorithm["name"];
    CAPTURE(name);
    const Place nowhere;
    const AlgorithmInfo& info = find_algorithm(name, nowhere);
    const bool takes_it = std::ranges::any_of(
        info.parameters, [](const FieldInfo& field) { return field.name == "compress"; });
    const bool has_server = info.traits.needs.find("server") != std::string::npos;
    CHECK(takes_it == (has_server && !push_models.contains(name)));
    if (!takes_it) continue;
    algorithm["compress"] = {{"kind", "none"}};
    const RunResult whole = run_of(algorithm, scenario);
    algorithm["compress"] = {{"kind", "sign"}};
    CHECK(run_of(algorithm, scenario).bytes < 0.9 * whole.bytes);
  }
}

TEST_CASE("bvr_l_sgd compresses the large gradients and sends the model as it is") {
  // Two workers and a model of 1000 entries, 4000 B. A round: a model to each, a gradient of each, two vectors to
  // the one drawn and its model back. A sign is one bit, and the scale 4 B: 129 B.
  Json scenario = timing_scenario();
  scenario["model"]["dimension"] = 1000;
  scenario["cost"]["model_size"] = "4000B";
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 5}};
  Json bvr = {{"name", "bvr_l_sgd"}};
  CHECK(run_of(bvr, scenario).bytes == 5 * (2 * 4000 + 2 * 4000 + 3 * 4000));
  bvr["compress"] = {{"kind", "sign"}};
  CHECK(run_of(bvr, scenario).bytes == 5 * (2 * 4000 + 2 * 129 + 3 * 4000));
}

// ---- daso ----

void check_near(const RunResult& a, const RunResult& b) {
  REQUIRE(a.curve.size() == b.curve.size());
  for (std::size_t i = 0; i < a.curve.size(); ++i) {
    CAPTURE(i);
    CHECK(*a.curve[i].test_loss == Approx(*b.curve[i].test_loss).epsilon(1e-5));
  }
}

TEST_CASE("daso on one node is allreduce, bit for bit") {
  const Json scenario = on_nodes(learning_scenario(), 1, 4);
  CHECK(same_run(run_of({{"name", "daso"}, {"momentum", 0.5}, {"adapt", false}}, scenario),
                 run_of({{"name", "allreduce"}, {"momentum", 0.5}}, scenario)));
}

TEST_CASE("daso that averages in every step and waits for it is allreduce, to rounding") {
  const Json scenario = on_nodes(learning_scenario(), 2, 2);
  const RunResult allreduce = run_of({{"name", "allreduce"}}, scenario);
  check_near(run_of({{"name", "daso"}, {"skip", 1}, {"wait", 0}, {"adapt", false}}, scenario),
             allreduce);
  // So is its blocking warm-up, whatever follows.
  check_near(run_of({{"name", "daso"}, {"warm_up_epochs", 1000}}, scenario), allreduce);
}

/// One dimension, nodes of two devices, an optimum for each node, 1 on average: f_p = (x - a_p)^2/2, eta = 1/4.
Json with_an_optimum_a_node(std::size_t nodes) {
  Json scenario = on_nodes(timing_scenario(), nodes, 2);
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 1},          {"smoothness", 1},
                       {"noise", 0},          {"samples", 2000 * nodes}, {"optima", nodes},
                       {"optima_distance", 1}};
  scenario["defaults"]["step_size"] = 0.25;
  scenario["stop"] = {{"updates", 5}};
  return scenario;
}

/// Two nodes take part, with optima 0 and `other`. An average starts after every second step and is used after
/// the next.
void check_delayed_averages(const Json& scenario, double other) {
  const RunResult result =
      run_of({{"name", "daso"}, {"skip", 2}, {"wait", 1}, {"adapt", false}, {"warm_up_epochs", 0}},
             scenario);
  std::vector<double> x = {0, 0};
  double started = 0;
  std::size_t update = 0;
  for (std::size_t step = 1; update < 5; ++step) {
    x[0] -= 0.25 * (x[0] - 0);
    x[1] -= 0.25 * (x[1] - other);
    if (step % 2 == 1 && step > 1) {
      for (double& of_node : x) of_node = (2 * of_node + 2 * started) / (2 + 2);
      CAPTURE(step);
      CHECK(*result.curve[++update].test_loss == Approx((x[0] - 1) * (x[0] - 1) / 2).epsilon(1e-4));
    }
    if (step % 2 == 0) started = (x[0] + x[1]) / 2;
  }
}

TEST_CASE("daso's delayed average weighs the local model by twice the steps it waited") {
  const Json scenario = with_an_optimum_a_node(2);  // 0 and 2
  check_delayed_averages(scenario, 2);
}

TEST_CASE("daso's average counts the nodes that are there, each once however few its devices") {
  // Optima 0, 1 and 2; the last node is not there, and one device of the first neither: P is 2.
  Json scenario = with_an_optimum_a_node(3);
  scenario["cluster"]["failures"] = {{"detect_after", "1ms"}, {"list", Json::array()}};
  for (const char* absent : {"gpu-1", "gpu-4", "gpu-5"}) {
    scenario["cluster"]["failures"]["list"].push_back({{"worker", absent}, {"from", "1000s"}});
  }
  check_delayed_averages(scenario, 1);
}

TEST_CASE("daso hides the averages between nodes behind computation") {
  // A step takes 1 s, an average of 80 MB between two nodes over links of 100 MB/s about 0.8 s. With one in every
  // second step, waiting for it takes 2.8 s an update, using it a step later hardly more than 2 s.
  Json scenario = on_nodes(timing_scenario(), 2, 2);
  scenario["cost"]["model_size"] = "80MB";
  scenario["cluster"]["workers"][0]["inside"]["bandwidth"] = "100GBps";
  scenario["stop"] = {{"updates", 20}};
  const Json fixed = {{"name", "daso"}, {"adapt", false}, {"skip", 2}, {"warm_up_epochs", 0}};
  Json waits = fixed;
  waits["wait"] = 0;
  Json hides = fixed;
  hides["wait"] = 1;
  CHECK(run_of(waits, scenario).virtual_s > 20 * 2.7);
  CHECK(run_of(hides, scenario).virtual_s < 20 * 2.2);
}

/// At which steps of 1 s the averages between nodes were used.
std::vector<long> steps_of_updates(const RunResult& result) {
  std::vector<long> steps;
  for (std::size_t k = 1; k < result.curve.size(); ++k) {
    steps.push_back(std::lround(result.curve[k].time_s));
  }
  return steps;
}

TEST_CASE("daso halves skip and wait when the loss is stable, begins again, and cools down") {
  // Steps of 1 s, 8 to an epoch. With hardly a step size the loss is stable: the first epoch has none before it,
  // the second and third bring the first change, and every other one the next.
  Json scenario = free_messages(on_nodes(timing_scenario(), 2, 2));
  scenario["model"] = {
      {"kind", "quadratic"}, {"dimension", 1}, {"smoothness", 1}, {"noise", 0}, {"samples", 32}};
  scenario["stop"] = {{"updates", 44}};
  Json daso = {{"name", "daso"}, {"step_size", 1e-5}, {"warm_up_epochs", 0}};
  daso["cool_down_after_epochs"] = 10;
  std::vector<long> expected;
  const auto add = [&](long first, long last, long every) {
    for (long step = first; step <= last; step += every) expected.push_back(step);
  };
  add(5, 25, 4);   // epochs 1-3: skip 4, wait 1; that of step 24 is used after the change
  add(27, 41, 2);  // epochs 4 and 5: 2 and 1
  add(41, 56, 1);  // 6 and 7: 1 and 0
  add(66, 74, 8);  // 8 and 9: 8 and 2
  add(77, 81, 4);  // 10: 4 and 1
  add(81, 90, 1);  // cool-down: waited for in every step
  REQUIRE(expected.size() == 44);
  CHECK(steps_of_updates(run_of(daso, scenario)) == expected);

  // A loss that falls by 1 - 0.99^16 = 15 % an epoch is not stable, and the first four epochs wait.
  daso = {{"name", "daso"}, {"step_size", 0.01}, {"warm_up_epochs", 4}};
  expected.clear();
  add(1, 32, 1);
  add(37, 81, 4);
  CHECK(steps_of_updates(run_of(daso, scenario)) == expected);
}

TEST_CASE("daso refuses a cluster without nodes, and to wait as long as it skips") {
  CHECK_THROWS_WITH(experiment_of(with_algorithm(learning_scenario(), {{"name", "daso"}})),
                    Catch::Contains("daso needs nodes of several workers: \"per_node\""));
  const Json scenario = on_nodes(learning_scenario(), 2, 2);
  CHECK_THROWS_WITH(
      experiment_of(with_algorithm(scenario, {{"name", "daso"}, {"skip", 2}, {"wait", 2}})),
      Catch::Contains("/wait: must be below skip, 2"));
}

TEST_CASE(
    "every algorithm runs on nodes of several devices, the same for every number of threads") {
  for (const Json& algorithm : every_algorithm(Nodes::there)) {
    Json scenario = with_algorithm(on_nodes(learning_scenario(), 2, 2), algorithm);
    scenario["stop"] = {{"updates", 12}};
    CAPTURE(algorithm.dump());
    const RunResult result = simulate(scenario);
    CHECK(result.status == RunStatus::ok);
    CHECK(result.updates == 12);
    CHECK(text_of(simulate(scenario, 0, 3)) == text_of(result));
  }
}

// ---- Batches by speed ----

BatchAllotment allotment(BatchAllotment::Mode mode) {
  return {mode, 1.5, 16, 96, 8};
}

std::vector<double> times_of(const std::vector<std::size_t>& batches,
                             const std::vector<double>& speeds, double overhead = 0) {
  std::vector<double> times;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    times.push_back(overhead + static_cast<double>(batches[i]) / speeds[i]);
  }
  return times;
}

TEST_CASE(
    "where time is proportional to the batch all modes come to batches in proportion to speed") {
  const std::vector<double> speeds = {1, 2, 3, 2};  // of 256: 32, 64, 96, 64
  for (const auto mode : {BatchAllotment::Mode::adaptive, BatchAllotment::Mode::dbs,
                          BatchAllotment::Mode::omnilearn, BatchAllotment::Mode::lb_bsp}) {
    const BatchAllotment rule = allotment(mode);
    BatchAllotment::State state = rule.first({64, 64, 64, 64});
    for (int period = 0; period < 60; ++period) rule.adjust(times_of(state.batches, speeds), state);
    CHECK(std::accumulate(state.batches.begin(), state.batches.end(), std::size_t{0}) == 256);
    const std::vector<std::size_t> fair = {32, 64, 96, 64};
    for (std::size_t i = 0; i < fair.size(); ++i) {
      CAPTURE(static_cast<int>(mode), i);
      // lb_bsp ends with moves of one sample; omnilearn leaves alone what is less than 20 % away.
      const double near =
          mode == BatchAllotment::Mode::omnilearn ? 0.2 * static_cast<double>(fair[i]) : 2;
      CHECK(std::abs(static_cast<double>(state.batches[i]) - static_cast<double>(fair[i])) <= near);
    }
  }
}

TEST_CASE("dbs takes parts by the time they took, and weighs gradients by them") {
  const BatchAllotment rule = allotment(BatchAllotment::Mode::dbs);
  BatchAllotment::State state = rule.first({30, 30});
  CHECK(state.weight(0) == 0.5);
  rule.adjust(std::vector<double>{3, 1}, state);  // (1/2)/3 : (1/2)/1 = 1 : 3
  CHECK(state.weight(0) == Approx(0.25));
  CHECK(state.weight(1) == Approx(0.75));
  CHECK(state.batches == std::vector<std::size_t>{15, 45});
  rule.adjust(std::vector<double>{0, 1}, state);  // nobody to compare with
  CHECK(state.batches == std::vector<std::size_t>{15, 45});
}

TEST_CASE("omnilearn moves batches by a fifth or not at all, and within its bounds") {
  const BatchAllotment rule = allotment(BatchAllotment::Mode::omnilearn);
  BatchAllotment::State state = rule.first({50, 50});
  rule.adjust(std::vector<double>{1.1, 0.9}, state);  // 45.5 and 55.6: less than a fifth
  CHECK(state.batches == std::vector<std::size_t>{50, 50});
  rule.adjust(std::vector<double>{1.5, 0.5}, state);  // 33.3 and 100, of 100: 25 and 75
  CHECK(state.batches == std::vector<std::size_t>{25, 75});
  rule.adjust(std::vector<double>{20, 0.5}, state);  // 12.8 and 1537: the first keeps 16
  CHECK(state.batches == std::vector<std::size_t>{16, 84});
  BatchAllotment::State wide = rule.first({60, 60, 60});
  rule.adjust(std::vector<double>{0.2, 4, 4}, wide);  // the first would get 162 of 180
  CHECK(wide.batches == std::vector<std::size_t>{96, 42, 42});
}

TEST_CASE(
    "lb_bsp moves samples from the slowest to the fastest, and fewer when they change places") {
  const BatchAllotment rule = allotment(BatchAllotment::Mode::lb_bsp);
  BatchAllotment::State state = rule.first({20, 20, 20});
  rule.adjust(std::vector<double>{3, 2, 1}, state);
  CHECK(state.batches == std::vector<std::size_t>{12, 20, 28});
  rule.adjust(std::vector<double>{1, 2, 3}, state);  // changed places: half
  CHECK(state.batches == std::vector<std::size_t>{16, 20, 24});
  rule.adjust(std::vector<double>{1, 2, 3}, state);  // the same again: no fewer
  CHECK(state.batches == std::vector<std::size_t>{20, 20, 20});
}

TEST_CASE("batches follow speeds in a run, with shares of the data where asked for") {
  // 1:3 and 32 samples a step: 8 and 24 take equally long.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "slow"}, {"speed", "1Gf"}},
                                    {{"name", "fast"}, {"speed", "3Gf"}}};
  scenario["stop"] = {{"updates", 120}};
  scenario["defaults"]["batch_size"] = 32;
  for (Json algorithm :
       {Json{{"mode", "dbs"}}, Json{{"mode", "omnilearn"}}, Json{{"mode", "lb_bsp"}},
        Json{{"mode", "lb_bsp"}, {"data_shares", true}}}) {
    algorithm.update({{"name", "allocation"}, {"period", 2}});
    CAPTURE(algorithm.dump());
    const RunResult result = run_of(algorithm, scenario);
    std::map<std::size_t, double> last;
    for (const Decision& decision : result.decisions) last[decision.rank] = decision.value;
    CHECK(last.at(0) == Approx(16).margin(3));
    CHECK(last.at(1) == Approx(48).margin(3));
  }
  const Json small = {{"name", "allocation"}, {"mode", "omnilearn"}, {"batch_size", 8}};
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, small)),
                    Catch::Contains("/mode: omnilearn keeps every batch from least_batch"));
}

TEST_CASE("allocation refuses what its mode does not use, at its place") {
  const std::vector<std::tuple<std::string, Json, std::string>> options = {
      {"ratios", {1, 2, 3, 4}, "static"},
      {"restart_above", 2, "adaptive"},
      {"least_batch", 1, "omnilearn"},
      {"most_batch", 64, "omnilearn"},
      {"move", 3, "lb_bsp"},
  };
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["defaults"]["batch_size"] = 32;
  for (const auto& [name, value, owner] : options) {
    for (const char* mode : {"equal", "static", "adaptive", "dbs", "omnilearn", "lb_bsp"}) {
      CAPTURE(name, mode);
      const Json given =
          with_algorithm(scenario, {{"name", "allocation"}, {"mode", mode}, {name, value}});
      if (mode == owner) {
        CHECK_NOTHROW(experiment_of(given));
      } else {
        CHECK_THROWS_WITH(experiment_of(given),
                          Catch::Contains("/" + name + ": is only for mode = " + owner));
      }
    }
  }
}

}  // namespace
}  // namespace motley
