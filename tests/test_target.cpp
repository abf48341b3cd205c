// When a target counts as reached: by a model that exists, at the time of its update.
#include <cmath>

#include "sim/results/target_watch.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

TargetSpec accuracy(double value) {
  TargetSpec target;
  target.accuracy = value;
  return target;
}

/// Update u is finished at u * u seconds.
void make_updates(TargetWatch& watch, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t u = from; u <= to; ++u) watch.update_finished(static_cast<double>(u * u), u);
}

TEST_CASE("between evaluations the target is reached by an update, at that update's own time") {
  TargetWatch watch(accuracy(0.4));
  watch.evaluated(0, 0, {2.0, 0.1});
  make_updates(watch, 1, 10);
  watch.evaluated(100, 10, {1.0, 0.5});
  // 0.3 of the 0.4 from 0.1 to 0.5 are missing: 7.5 of 10 updates, so it is the eighth.
  CHECK(watch.time_s() == 64.0);
  make_updates(watch, 11, 12);
  watch.evaluated(144, 12, {0.5, 0.9});
  CHECK(watch.time_s() == 64.0);  // the first time stays
}

TEST_CASE("the interpolation goes from the last evaluation, and works for losses") {
  TargetSpec target;
  target.loss = 0.5;
  TargetWatch watch(target);
  watch.evaluated(0, 0, {4.0, std::nullopt});
  make_updates(watch, 1, 4);
  watch.evaluated(16, 4, {1.0, std::nullopt});
  make_updates(watch, 5, 12);
  CHECK_FALSE(watch.time_s());
  watch.evaluated(144, 12, {0.2, std::nullopt});
  // 0.5 of the 0.8 from 1.0 to 0.2 in 8 updates: the fifth after the fourth.
  CHECK(watch.time_s() == 81.0);
}

TEST_CASE("consecutive updates need no interpolation, and time 0 is the initial model's") {
  TargetWatch watch(accuracy(0.4));
  watch.evaluated(0, 0, {2.0, 0.1});
  for (std::uint64_t u = 1; u <= 3; ++u) {
    make_updates(watch, u, u);
    watch.evaluated(static_cast<double>(u * u), u, {1.0, 0.1 + 0.15 * static_cast<double>(u)});
  }
  CHECK(watch.time_s() == 4.0);  // 0.25 after one, 0.4 after two
  TargetWatch good_enough(accuracy(0.4));
  good_enough.evaluated(0, 0, {2.0, 0.4});
  CHECK(good_enough.time_s() == 0.0);
  TargetWatch none(std::nullopt);
  none.evaluated(0, 0, {0.0, 1.0});
  CHECK_FALSE(none.time_s());
}

TEST_CASE("of very many updates between two evaluations the time is still known finely") {
  constexpr std::uint64_t updates = 100'000;
  for (const double share : {0.001, 0.5, 0.77777, 1.0}) {
    TargetWatch watch(accuracy(share));
    watch.evaluated(0, 0, {2.0, 0.0});
    for (std::uint64_t u = 1; u <= updates; ++u) watch.update_finished(static_cast<double>(u), u);
    watch.evaluated(updates, updates, {1.0, 1.0});
    const double exact = std::ceil(share * updates);
    REQUIRE(watch.time_s());
    CHECK(*watch.time_s() >= exact);
    CHECK(*watch.time_s() <= exact + 2.0 * updates / TargetWatch::most_kept);
  }
}

/// Two uneven workers that train alone, merged again and again; every update is evaluated.
Json merging_scenario() {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 1}, {"speed", "2Gf"}},
                                    {{"name", "slow"}, {"count", 1}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 40}};
  scenario["algorithms"] = {{{"name", "simuparallel"}, {"local_steps", 4}, {"rounds", "inf"}}};
  return scenario;
}

TEST_CASE("an oracle does not reach the target: the next merge does, when it has really happened") {
  Json scenario = merging_scenario();
  const RunResult whole = simulate(scenario);
  const std::vector<CurvePoint>& curve = whole.curve;
  std::vector<std::size_t> merges;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (curve[i].kind == EvaluatedModel::real) merges.push_back(i);
  }
  REQUIRE(merges.size() >= 2);
  REQUIRE(merges[1] - merges[0] > 2);
  // Noise-free, the loss falls from merge to merge and in between.
  const CurvePoint& oracle = curve[merges[0] + 2];
  const CurvePoint& merge = curve[merges[1]];
  REQUIRE(oracle.kind == EvaluatedModel::oracle);
  REQUIRE(*merge.test_loss < *oracle.test_loss);
  REQUIRE(*oracle.test_loss < *curve[merges[0]].test_loss);

  CHECK(whole.final_test_loss == curve[merges.back()].test_loss);

  scenario["target"] = {{"loss", *oracle.test_loss}};
  const RunResult result = simulate(scenario);
  CHECK(result.time_to_target_s == merge.time_s);
  CHECK(merge.time_s > oracle.time_s);
}

TEST_CASE("merges are evaluated though the oracle between them was when it was due") {
  Json scenario = merging_scenario();
  scenario["evaluate"] = {{"every", 5}};
  std::vector<std::uint64_t> merges;
  for (const CurvePoint& point : simulate(scenario).curve) {
    if (point.kind == EvaluatedModel::real && point.updates > 0) merges.push_back(point.updates);
  }
  CHECK(merges == std::vector<std::uint64_t>{9, 18, 27, 36});
}

/// Four workers, each with a model of its own, and a second for a step. With groups of one nobody sends anything.
Json alone_scenario() {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "node"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"time", "40s"}};
  scenario["algorithms"] = {{{"name", "prague"}, {"group_size", 1}}};
  return scenario;
}

/// The same with a target that the mean meets with the steps of the fourth second.
Json met_after_four_seconds() {
  Json scenario = alone_scenario();
  const std::vector<CurvePoint> curve = simulate(scenario).curve;
  REQUIRE(curve[4].time_s == Approx(4).margin(1e-9));
  REQUIRE(*curve[4].test_loss < *curve[3].test_loss);
  scenario["target"] = {{"loss", *curve[4].test_loss}};
  return scenario;
}

TEST_CASE("a mean of models that nobody merges reaches the target when it has been averaged") {
  Json scenario = met_after_four_seconds();
  const RunResult result = simulate(scenario);
  // A ring all-reduce of 8 MB among 4 over two links of 1 ms and 100 MB/s: six steps of a quarter.
  const double averaging_s = 6 * (0.002 + 2e6 / 100e6);
  CHECK(result.averaging_s.value() == Approx(averaging_s).margin(1e-9));
  CHECK(result.time_to_target_s.value() == Approx(4 + averaging_s).margin(1e-9));
  CHECK(result.target_crossed_s().value() == Approx(4).margin(1e-9));
  // Nothing else was sent: three quarters of a model, twice, by each of the four.
  CHECK(result.bytes == 4 * 6 * 2e6);
  // The curve is the mean's all the same.
  CHECK(result.curve[12].kind == EvaluatedModel::real);
  CHECK(result.curve[12].consensus);

  // A run that ends before the models are averaged has not reached it, though its curve has.
  scenario["stop"] = {{"time", "4100ms"}};
  CHECK_FALSE(simulate(scenario).time_to_target_s);
  scenario["stop"] = {{"time", "40s"}, {"at_target", true}};
  const RunResult stopped = simulate(scenario);
  CHECK(stopped.time_to_target_s == result.time_to_target_s);
  CHECK(stopped.virtual_s < 6);
  CHECK(stopped.virtual_s >= *stopped.time_to_target_s);

  // The model of a worker that is alone exists.
  scenario["cluster"]["workers"][0]["count"] = 1;
  const RunResult one = simulate(scenario);
  CHECK(one.time_to_target_s.value() == Approx(4).margin(1e-9));
  CHECK_FALSE(one.averaging_s);
}

TEST_CASE("an average that loses a worker is made anew, of those who are left") {
  Json scenario = met_after_four_seconds();
  scenario["cluster"]["link"]["bandwidth"] = "1MBps";  // six steps of 2 s: far beyond the failure
  scenario["cluster"]["failures"] = {{"detect_after", "100ms"},
                                     {"list", {{{"worker", "node-2"}, {"at", "8500ms"}}}}};
  const RunResult result = simulate(scenario);
  // Among three, and not before the failure. The pieces that were under way take four milliseconds more.
  const double averaging_s = 4 * (0.002 + 8.0 / 3);
  CHECK(result.averaging_s.value() == Approx(averaging_s).margin(0.02));
  CHECK(result.time_to_target_s.value() == Approx(8.5 + averaging_s).margin(0.02));
}

TEST_CASE("averages that failures interrupt again and again disturb nothing else") {
  // A model takes 0.8 s on a link, and each of eight workers fails about every second.
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"][0].update({{"count", 4}, {"speed", "1Gf"}});
  scenario["cluster"]["workers"][1].update({{"count", 4}, {"speed", "300Mf"}});
  scenario["cluster"]["link"] = {{"bandwidth", "10Mbps"}, {"latency", "1ms"}};
  scenario["cluster"]["failures"] = {
      {"detect_after", "300ms"},
      {"laws", {{{"mean_time_between", "1s"}, {"mean_time_to_return", "500ms"}}}}};
  scenario["target"] = {{"accuracy", 0.4}};
  scenario["stop"] = {{"time", "50s"}};
  scenario["evaluate"] = {{"every", 2}};
  std::size_t reached = 0;
  for (const char* name : {"ad_psgd", "d_psgd", "sgp", "prague", "api_bcd"}) {
    for (const int seed : {1, 2, 3}) {
      CAPTURE(name, seed);
      scenario["seed"] = seed;
      scenario["algorithms"] = {{{"name", name}}};
      const RunResult result = simulate(scenario);
      CHECK(result.reason.empty());
      CHECK(result.virtual_s == Approx(50).margin(1e-9));
      if (result.time_to_target_s) ++reached;
    }
  }
  CHECK(reached > 0);
}

TEST_CASE("averaging takes its share of the links from the algorithm's own messages") {
  Json scenario = merging_scenario();
  scenario["algorithms"] = {{{"name", "ad_psgd"}}};
  const RunResult before = simulate(scenario);
  scenario["target"] = {{"loss", *before.curve[12].test_loss}};
  const RunResult result = simulate(scenario);
  CHECK(result.curve[12].test_loss == before.curve[12].test_loss);
  CHECK(result.target_crossed_s().value() <= result.curve[12].time_s);
  CHECK(result.averaging_s.value() >= 2 * (0.002 + 4e6 / 100e6) - 1e-9);  // alone on the links
}

TEST_CASE("runs that end before another algorithm arrives are said to tell nothing") {
  const tests::TemporaryFolder folder;
  Json scenario = Json::parse(R"({
    "name": "short", "model": {"kind": "quadratic", "dimension": 10, "strong_convexity": 0.1, "noise": 0},
    "cluster": {"workers": [{"name": "a", "speed": "2Mf"}, {"name": "b", "speed": "1Mf"}],
                "server": {"speed": "1Gf"}, "link": {"bandwidth": "1Gbps", "latency": "10us"}},
    "target": {"loss": 0.1}, "stop": {"updates": 1000, "at_target": true}, "evaluate": {"every": 1},
    "defaults": {"batch_size": 4}, "algorithms": [{"name": "sync", "step_size": 0.1}]})");
  const auto run = [&](const std::string& out) {
    folder.write("s.json", scenario.dump());
    const tests::Outcome outcome =
        tests::run_motley({"run", "s.json", "--out", out, "--quiet", "--no-whatif"}, folder.path());
    REQUIRE(outcome.exit_code == 0);
    return outcome.out + outcome.err;
  };
  run("alone");
  const auto arrived = tests::rows_of(tests::read_file(folder.file("alone/runs.csv")));
  REQUIRE(arrived.size() == 1);
  // As many updates take async a third of the time: its workers make three where sync makes one.
  scenario["stop"] = {{"updates", std::stoi(arrived[0].at("updates"))}};
  scenario["algorithms"].push_back({{"name", "async"}, {"step_size", 1e-4}});
  const std::string output = run("both");
  CHECK(output.find("async did not reach the target, but its runs ended by ") != std::string::npos);
  CHECK(output.find("before sync first reached it (") != std::string::npos);
  // It is censored, not beaten: no ratio, no verdict, no place, and none is decided against it.
  CHECK(output.find("cut at ") != std::string::npos);
  CHECK(output.find("not reached") == std::string::npos);
  const auto compared = tests::rows_of(tests::read_file(folder.file("both/comparisons.csv")));
  REQUIRE(compared.size() == 2);
  CHECK(compared[0].at("ratio").empty());
  CHECK(compared[0].at("verdict") == "undecided");
  const auto summed = tests::rows_of(tests::read_file(folder.file("both/summary.csv")));
  CHECK(summed[0].at("place") == "1");
  CHECK(summed[0].at("decided") == "0");
  CHECK(summed[0].at("cut_short_s").empty());
  CHECK(summed[1].at("place").empty());
  const auto runs = tests::rows_of(tests::read_file(folder.file("both/runs.csv")));
  CHECK(summed[1].at("cut_short_s") == runs[1].at("virtual_s"));
  // Who goes on for as long has had its chance.
  scenario["algorithms"][1] = {{"name", "sync"}, {"label", "slow"}, {"step_size", 1e-4}};
  const std::string after = run("chance");
  CHECK(after.find("its runs ended by") == std::string::npos);
  CHECK(after.find("not reached") != std::string::npos);
  CHECK(tests::rows_of(tests::read_file(folder.file("chance/summary.csv")))[1].at("place") == "2");
}

}  // namespace
}  // namespace motley
