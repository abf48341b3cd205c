// Algorithms that treat fast and slow workers differently: how grouping finds its groups, how biased_local
// scores samples and counts steps, what allocation does with the data.
#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/support/batch_allotment.hpp"
#include "algorithms/support/scores.hpp"
#include "sim/base/json.hpp"
#include "sim/study/described_experiment.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

Json worker(const std::string& name, int count, const std::string& speed) {
  return {{"name", name}, {"count", count}, {"speed", speed}};
}

/// What was decided last of this quantity, by worker.
std::vector<double> decided(const RunResult& result, const std::string& quantity) {
  std::vector<double> values(result.workers.size(), -1);
  for (const Decision& decision : result.decisions) {
    if (decision.quantity == quantity) values[decision.rank] = decision.value;
  }
  return values;
}

// ---- grouping ----

TEST_CASE("throughput has the messages in it: where links differ, so do the groups") {
  // All compute for 1 s. A message takes 0.082 s, or 8.002 s over the links of two of them.
  Json scenario = timing_scenario();
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "100GBps"}, {"latency", "1ms"}};
  scenario["cluster"]["workers"] = {worker("near", 2, "1Gf"), worker("far", 2, "1Gf")};
  scenario["cluster"]["workers"][1]["link"] = {{"bandwidth", "1MBps"}, {"latency", "1ms"}};
  Json grouping = {{"name", "grouping"}, {"groups", 2}};
  const RunResult measured = run_of(grouping, scenario);
  CHECK(decided(measured, "group") == std::vector<double>{0, 0, 1, 1});
  // Ten gradients of the slowest take 10 s; a step of the far ones 17.004 s, after a model of 8.002 s; their
  // word of it takes 2 ms.
  CHECK(measured.decisions[0].time_s == Approx(8.002 + 17.004 + 0.002).epsilon(1e-9));

  grouping["profile"] = "compute";
  const RunResult computed = run_of(grouping, scenario);
  CHECK(decided(computed, "group") == std::vector<double>{0, 0, 0, 0});  // no different speeds
  CHECK(computed.decisions[0].time_s == Approx(10 + 0.002).epsilon(1e-9));
}

TEST_CASE("throughput is that of everybody at its own pace, with its noise") {
  // Noise of mean 1 on each of 50 steps of the slowest leaves a mean within a few percent, and three classes
  // at 3:2:1 stay three groups.
  Json scenario = free_messages(timing_scenario());
  scenario["cluster"]["workers"] = {worker("fast", 2, "3Gf"), worker("middle", 4, "2Gf"),
                                    worker("slow", 6, "1Gf")};
  scenario["cluster"]["noise"] = {{"law", "lognormal"}, {"sigma", 0.2}};
  for (const char* profile : {"throughput", "compute"}) {
    CAPTURE(profile);
    const RunResult result =
        run_of({{"name", "grouping"}, {"profile", profile}, {"profile_steps", 50}}, scenario);
    CHECK(decided(result, "group") == std::vector<double>{0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
  }
  // An epoch of 44 samples takes the cluster, at 3 + 3 + 4 x 2 + 6 = 20 samples a second, 2.2 s.
  scenario["model"]["samples"] = 44;
  scenario["cluster"].erase("noise");
  const RunResult epoch = run_of({{"name", "grouping"}, {"profile_steps", "epoch"}}, scenario);
  CHECK(epoch.decisions[0].time_s == Approx(3));  // three steps of the slowest
}

TEST_CASE("nothing is learnt, drawn or counted while throughput is measured") {
  Json scenario = learning_scenario();
  const RunResult result = run_of({{"name", "grouping"}, {"groups", 2}}, scenario);
  REQUIRE(decided(result, "group") == std::vector<double>{0, 0, 1, 1});
  const RunResult given = run_of({{"name", "grouping"}, {"groups", {{0, 1}, {2, 3}}}}, scenario);
  const double profile_s = result.decisions[0].time_s;
  CHECK(profile_s > 10 * 8 * 0.01);
  REQUIRE(result.curve.size() == given.curve.size());
  // The same updates, but for the time that was spent before. Gradients under way at the end may differ.
  CHECK(losses(result) == losses(given));
  CHECK(result.bytes > given.bytes);
}

TEST_CASE("the example of Grouping-SGD runs: twelve workers, with as many servers on their hosts") {
  Json scenario = learning_scenario();
  scenario["data"]["train"] = 1200;
  scenario["cluster"].erase("server");
  scenario["cluster"]["workers"] = {worker("fast", 2, "3Gf"), worker("middle", 4, "2Gf"),
                                    worker("slow", 6, "1Gf")};
  scenario["cluster"]["servers"] = Json::array();
  for (Json& of_class : scenario["cluster"]["workers"]) {
    of_class["per_node"] = 1;
    of_class["inside"] = {{"bandwidth", "10GBps"}, {"latency", "1us"}};
    scenario["cluster"]["servers"].push_back(
        {{"count", of_class["count"]}, {"speed", of_class["speed"]}, {"on", of_class["name"]}});
  }
  scenario["defaults"] = {{"batch_size", 45},
                          {"step_size", 0.05},
                          {"momentum", 0.9},
                          {"schedule", {{"kind", "step"}, {"every_epochs", 1}, {"factor", 0.94}}}};
  const RunResult result = run_of({{"name", "grouping"}, {"data_shares", true}}, scenario);
  CHECK(decided(result, "group") == std::vector<double>{0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
  // 3:2:1 in groups of two, four and six: 180, 120 and 60 of 1200, but for the messages' time.
  for (const WorkerResult& w : result.workers) {
    const double samples = w.class_name == "fast" ? 180 : w.class_name == "middle" ? 120 : 60;
    CHECK(static_cast<double>(w.data_samples) == Approx(samples).epsilon(0.1));
  }
  // A twelfth of what everybody sends and receives stays on its host.
  double outside = 0;
  for (const LinkResult& link : result.links) {
    if (link.name.find("inside") == std::string::npos) outside += link.bytes;
  }
  CHECK(outside / 2 == Approx(result.bytes * 11 / 12).epsilon(0.01));
}

// ---- biased_local ----

Dealer dealer_of(std::size_t samples) {
  Dealer::Setup setup;
  setup.samples = samples;
  setup.hand_size = {1, 1};
  setup.slow = {false, true};
  setup.biased = true;
  return Dealer(setup);
}

TEST_CASE("a sample's score is the latest of all losses, or the least of everybody's latest") {
  // Two workers; of each loss the round, the sample and the value.
  const std::vector<std::vector<double>> learnt = {{0, 0, 3, 0, 1, 5, 1, 0, 2}, {0, 1, 4, 1, 2, 7}};
  Dealer latest = dealer_of(4);
  set_scores(latest, Scores::latest, learnt);
  CHECK(latest.score(0) == 2);  // in round 1
  CHECK(latest.score(1) == 4);  // in the same round, of the higher rank
  CHECK(latest.score(2) == 7);
  CHECK(std::isinf(latest.score(3)));
  set_scores(latest, Scores::latest, {{2, 1, 9}, {}});
  CHECK(latest.score(1) == 9);

  Dealer minimum = dealer_of(4);
  set_scores(minimum, Scores::minimum, learnt);
  CHECK(minimum.score(0) == 2);  // the first one's latest; the other has not seen it
  CHECK(minimum.score(1) == 4);
  CHECK(minimum.score(2) == 7);
  CHECK(std::isinf(minimum.score(3)));
  // Who has not learnt a sample since keeps what was everybody's: a score goes up only by all.
  set_scores(minimum, Scores::minimum, {{2, 1, 9, 2, 2, 1, 3, 2, 8}, {2, 3, 6, 2, 1, 5}});
  CHECK(minimum.score(1) == 5);  // 9 and 5
  CHECK(minimum.score(2) == 7);  // 8, but 7 on the other one
  CHECK(minimum.score(3) == 6);
}

/// A fast and a slow worker, 40 samples: with four steps and one, they are dealt anew every 8 rounds.
Json fast_and_slow() {
  Json scenario = timing_scenario();
  scenario["model"]["samples"] = 40;
  scenario["cluster"]["workers"] = {worker("fast", 1, "4Gf"), worker("slow", 1, "1Gf")};
  return scenario;
}

TEST_CASE("exchanging scores is an all-reduce of a float for each sample before every later deal") {
  const Json biased = {{"name", "biased_local"}, {"local_steps", 4}};
  Json plain = biased;
  plain["bias_sampling"] = false;
  const RunResult with = run_of(biased, fast_and_slow());
  const RunResult without = run_of(plain, fast_and_slow());
  // 20 rounds, deals before rounds 0, 8 and 16. On a ring of two everybody sends all of it once.
  CHECK(without.bytes == 20 * 2 * 8e6);
  CHECK(with.bytes == without.bytes + 2 * 2 * 40 * 4);
  CHECK(with.virtual_s - without.virtual_s ==
        Approx(2 * 2 * (2e-3 + 80 / 1e8)).margin(1e-9).epsilon(0));
  // Where nobody is slow nobody asks.
  Json equal = fast_and_slow();
  equal["cluster"]["workers"] = {worker("w", 2, "4Gf")};
  CHECK(run_of(biased, equal).bytes == 20 * 2 * 8e6);
}

TEST_CASE("scores taken together in different ways choose different samples") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 60}};
  const Json biased = {{"name", "biased_local"}, {"local_steps", 6}};
  const auto with_scores = [&](const char* scores) {
    Json algorithm = biased;
    algorithm["scores"] = scores;
    return losses(run_of(algorithm, scenario));
  };
  CHECK(with_scores("minimum") == losses(run_of(biased, scenario)));
  CHECK(with_scores("minimum") != with_scores("latest"));
}

TEST_CASE("biased_local takes the steps that are given for each class") {
  const Json given = {{"name", "biased_local"}, {"local_steps", {{"fast", 5}, {"slow", 2}}}};
  const RunResult result = run_of(given, fast_and_slow());
  CHECK(decided(result, "local_steps") == std::vector<double>{5, 2});
  CHECK(result.workers[0].gradients == 20 * 5);
  CHECK(result.workers[1].gradients == 20 * 2);
  const auto refused = [](const Json& more, const char* why) {
    Json algorithm = {{"name", "biased_local"}};
    algorithm.update(more);
    CHECK_THROWS_WITH(experiment_of(with_algorithm(fast_and_slow(), algorithm)),
                      Catch::Contains(why));
  };
  refused({{"local_steps", {{"fast", 5}}}}, "/local_steps: has no number for class slow");
  refused({{"local_steps", {{"fast", 5}, {"slow", 0}}}}, "/local_steps/slow: must be");
  refused({{"measure_steps", 5}}, "/measure_steps: is only for speeds = measured: remove it");
}

TEST_CASE("biased_local goes by what it measures, if it is told to") {
  // Both are said to be as fast, but one is throttled to a quarter all the time.
  Json scenario = fast_and_slow();
  scenario["cluster"]["workers"] = {worker("a", 1, "1Gf"), worker("b", 1, "1Gf")};
  scenario["cluster"]["workers"][1]["changes"] = {{{"at", "0s"}, {"speed", 0.25}}};
  Json biased = {{"name", "biased_local"}, {"local_steps", 8}};
  CHECK(decided(run_of(biased, scenario), "local_steps") == std::vector<double>{8, 8});
  biased["speeds"] = "measured";
  const RunResult measured = run_of(biased, scenario);
  CHECK(decided(measured, "local_steps") == std::vector<double>{8, 2});
  CHECK(measured.decisions[0].time_s == Approx(10 * 4).epsilon(1e-9));  // of the slow one
  // It is slow, then: scores are exchanged. 10 steps a round, every 4 rounds.
  CHECK(measured.bytes == 20 * 2 * 8e6 + 4 * 2 * 160);
}

// ---- allocation ----

TEST_CASE("allocation gives each worker data in proportion to its batch") {
  Json scenario = timing_scenario();
  scenario["model"]["samples"] = 1600;
  scenario["cluster"]["workers"] = {worker("slow", 1, "1Gf"), worker("fast", 1, "3Gf")};
  scenario["defaults"]["batch_size"] = 32;
  const auto data_of = [&](const Json& more) {
    Json algorithm = {{"name", "allocation"}};
    algorithm.update(more);
    const RunResult result = run_of(algorithm, scenario);
    return std::vector<std::uint64_t>{result.workers[0].data_samples,
                                      result.workers[1].data_samples};
  };
  using Samples = std::vector<std::uint64_t>;
  CHECK(data_of({{"mode", "static"}}) == Samples{400, 1200});
  CHECK(data_of({{"mode", "adaptive"}, {"period", 2}}) == Samples{400, 1200});
  CHECK(data_of({{"mode", "adaptive"}, {"period", 2}, {"data_shares", false}}) ==
        Samples{1600, 1600});
  CHECK(data_of({{"mode", "equal"}}) == Samples{1600, 1600});
  CHECK(data_of({{"mode", "lb_bsp"}, {"period", 2}}) == Samples{1600, 1600});
}

TEST_CASE("allocation warns where batches by speed change what is minimised") {
  Json scenario = learning_scenario();
  const auto warned = [&](const Json& more) {
    Json algorithm = {{"name", "allocation"}};
    algorithm.update(more);
    const Json with = with_algorithm(scenario, algorithm);
    const std::string told = described_experiment(experiment_of(with));
    const RunResult result = simulate(with);
    const bool at_start = told.find(
                              "\nwarning: allocation gives workers batches by speed though "
                              "their data differ") != std::string::npos;
    const bool at_end = std::ranges::any_of(
        result.warnings, [](const RunWarning& warning) { return warning.kind == "caution"; });
    CHECK(at_start == at_end);
    return at_end;
  };
  CHECK_FALSE(warned({{"mode", "static"}}));
  scenario["data"]["partition"] = {{"kind", "by_label"}};
  CHECK(warned({{"mode", "static"}}));
  CHECK(warned({{"mode", "adaptive"}}));
  CHECK_FALSE(warned({{"mode", "equal"}}));
  CHECK_FALSE(warned({{"mode", "static"}, {"ratios", {1, 1, 1, 1}}}));
}

TEST_CASE("adaptive allocation that has settled begins again when times differ too much") {
  const BatchAllotment rule{BatchAllotment::Mode::adaptive, 1.5};
  BatchAllotment::State state = rule.first({12, 12});
  rule.adjust(std::vector<double>{2, 1}, state);  // 6 and 12 samples a second: 8 and 16
  CHECK(state.batches == std::vector<std::size_t>{8, 16});
  CHECK_FALSE(state.settled);
  rule.adjust(std::vector<double>{1, 1}, state);
  CHECK(state.settled);
  rule.adjust(std::vector<double>{1, 1.4}, state);  // less than one and a half
  CHECK(state.batches == std::vector<std::size_t>{8, 16});
  CHECK(state.settled);
  rule.adjust(std::vector<double>{1, 2}, state);  // both 8 a second
  CHECK(state.batches == std::vector<std::size_t>{12, 12});
  CHECK_FALSE(state.settled);
}

// ---- async ----

TEST_CASE("the laws of staleness scaling are their own papers'") {
  const std::string paper = find_algorithm("async", {}).paper;
  CHECK(paper.find("1511.05950") != std::string::npos);  // inverse
  CHECK(paper.find("Mishchenko") != std::string::npos);  // adaptive
}

}  // namespace
}  // namespace motley
