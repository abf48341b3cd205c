// Speeds and bandwidths that change as the scenario says: virtual times against closed forms, to 1e-9.
// In every scenario here a sample takes 1 Gf, a message is 8 MB, a link 100 MB/s with 1 ms.
#include <cmath>
#include <functional>

#include "sim/base/json.hpp"
#include "sim/base/random_laws.hpp"
#include "sim/scenario/planned_changes.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/update_times.hpp"

namespace motley {
namespace {

/// One worker of 1 Gf/s that talks with nobody: a gradient takes a second.
Json lonely(const Json& changes) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["cluster"].erase("server");
  if (!changes.is_null()) scenario["cluster"]["workers"][0]["changes"] = changes;
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  return scenario;
}

/// Whoever does the computing.
void check_both_ways(const Json& scenario, const std::vector<double>& expected) {
  check_times(simulate(scenario), expected);
  check_times(simulate(on_nodes(scenario)), expected);
}

// ---- Speeds ----

TEST_CASE("a computation across changes of speed ends when its work is done") {
  // The third gradient has half of its work done at 2.5 s and the rest a second later; the fourth
  // has half of it at 4.5 s, when the worker is fast again.
  check_both_ways(lonely({{{"at", "2.5s"}, {"for", "2s"}, {"speed", 0.5}}}), {1, 2, 3.5, 5, 6, 7});
}

TEST_CASE("changes that overlap multiply, and one computation may meet many") {
  // Factors: 1 up to 0.5 s, 1/2 to 1, 1/4 to 1.5, 1/2 to 2, then 1. Work done: 0.5, 0.75, 0.875, so
  // that the first gradient needs 0.25 s of the last half speed. The second has 0.125 at 2 s.
  check_both_ways(lonely({{{"at", "0.5s"}, {"for", "1s"}, {"speed", 0.5}},
                          {{"at", "1s"}, {"for", "1s"}, {"speed", 0.5}}}),
                  {1.75, 2.875, 3.875});
}

TEST_CASE("a change from the beginning, for good, is another speed") {
  check_both_ways(lonely({{{"at", "0s"}, {"speed", 0.25}}}), {4, 8, 12});
  check_both_ways(lonely({{{"at", "0s"}, {"speed", 4}}}), {0.25, 0.5, 0.75});
}

TEST_CASE("a change slows the overhead of a step and measured throughput alike") {
  Json overhead = lonely({{{"at", "0s"}, {"speed", 0.5}}});
  overhead["cluster"]["workers"][0]["step_overhead"] = "1s";
  check_both_ways(overhead, {4, 8});
  Json measured = lonely({{{"at", "0s"}, {"speed", 0.5}}});
  measured["cluster"]["workers"][0].erase("speed");
  measured["cluster"]["workers"][0]["samples_per_s"] = {{"1", 0.5}, {"8", 2}};
  check_both_ways(measured, {4, 8});  // a batch of one takes 2 s
}

TEST_CASE("the scenario's changes are those of SimGrid's own profiles, and multiply with them") {
  const tests::TemporaryFolder folder;
  folder.write("w.speed", "2.5 0.5\n4.5 1\n");
  const auto platform = [&](const std::string& profile) {
    return folder.write("p" + profile + ".xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="w" speed="1Gf")" + (profile.empty() ? "" : " speed_file=\"" + profile + "\"") +
                                                    R"(><prop id="role" value="worker"/></host>
</zone></platform>)");
  };
  Json scenario = lonely({});
  scenario["cluster"] = {{"platform", platform("w.speed")}};
  check_times(simulate(scenario), {1, 2, 3.5, 5, 6, 7});
  scenario["cluster"] = {
      {"platform", platform("")},
      {"changes", {{{"worker", "w"}, {"at", "2.5s"}, {"for", "2s"}, {"speed", 0.5}}}}};
  check_times(simulate(scenario), {1, 2, 3.5, 5, 6, 7});
  // A quarter of the speed from 2.5 s to 3.5 s, half of it to 4.5 s: the third gradient has 0.75 done
  // at 3.5 s, the fourth 0.25 at 4.5 s.
  scenario["cluster"] = {
      {"platform", platform("w.speed")},
      {"changes", {{{"worker", "w"}, {"at", "2.5s"}, {"for", "1s"}, {"speed", 0.5}}}}};
  check_times(simulate(scenario), {1, 2, 4, 5.25, 6.25});
}

TEST_CASE("a server's update takes longer while the server is slower") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["cluster"]["server"]["speed"] = "1Gf";
  scenario["cost"]["flops_per_update"] = "1Gf";
  // Model 82 ms, gradient 1 s, push 82 ms; half of the update is done at 1.664 s.
  scenario["cluster"]["changes"] = {{{"class", "server"}, {"at", "1664ms"}, {"speed", 0.5}}};
  check_times(simulate(scenario), {2.664, 2.664 + 1.164 + 2});
}

// ---- Random slow-downs ----

/// Pieces of (begin, factor), found without a SpeedCurve.
std::vector<std::pair<double, double>> drawn_pieces(std::uint64_t seed, std::uint32_t rank) {
  RandomStream random(seed, slowdown_stream, rank);
  std::vector<std::pair<double, double>> pieces = {{0, 1}};
  for (double t = 0; t < 200;) {
    t += -3 * std::log(open_uniform(random));  // exponential of mean 3
    pieces.emplace_back(t, 1 / (2 + 6 * open_uniform(random)));
    t += 1 + 0.5 * std::floor(3 * open_uniform(random));  // 1, 1.5 or 2
    pieces.emplace_back(t, 1);
  }
  return pieces;
}

const Json random_slowdowns = Json::parse(R"({"after": {"law": "exponential", "mean": "3s"},
                    "for": {"law": "uniform", "from": "1s", "to": "2s", "step": "0.5s"},
                    "slower": {"law": "uniform", "from": 2, "to": 8}})");

TEST_CASE("random slow-downs end computations where an independent integration does") {
  Json scenario = lonely({});
  scenario["seed"] = 11;
  scenario["cluster"]["slowdowns"] = random_slowdowns;
  scenario["stop"]["updates"] = 60;
  const std::vector<std::pair<double, double>> pieces = drawn_pieces(11, 0);
  // The work done up to the beginning of each piece.
  std::vector<double> expected;
  double done = 0;
  for (std::size_t i = 0; i + 1 < pieces.size() && expected.size() < 60; ++i) {
    const auto [begin, factor] = pieces[i];
    const double next = done + factor * (pieces[i + 1].first - begin);
    while (static_cast<double>(expected.size() + 1) <= next && expected.size() < 60) {
      expected.push_back(begin + (static_cast<double>(expected.size() + 1) - done) / factor);
    }
    done = next;
  }
  REQUIRE(expected.size() == 60);
  REQUIRE(expected.back() > 70);  // they slow it down
  check_both_ways(scenario, expected);
}

TEST_CASE("every worker has slow-downs of its own, whoever else is there") {
  const auto pieces_of = [](int count, std::size_t rank) {
    Json scenario = lonely({});
    scenario["cluster"]["workers"][0]["count"] = count;
    scenario["cluster"]["slowdowns"] = random_slowdowns;
    const Experiment experiment = experiment_of(scenario);
    SpeedCurve curve(*experiment.cluster().workers.at(rank).changes, 1);
    std::vector<double> pieces;
    for (double t = 0; t < 100; t = curve.next_change(t)) {
      pieces.push_back(t);
      pieces.push_back(curve.at(t));
    }
    return pieces;
  };
  CHECK(pieces_of(2, 1) == pieces_of(7, 1));
  CHECK(pieces_of(7, 1) != pieces_of(7, 2));
}

TEST_CASE("the regime switches of DBS: a chance in every period, for whole periods") {
  Json scenario = lonely({});
  scenario["cluster"]["slowdowns"] = Json::parse(R"({
    "after": {"law": "geometric", "period": "10s", "chance": 0.1},
    "for": {"law": "uniform", "from": "40s", "to": "200s", "step": "10s"}, "slower": 4})");
  const Experiment experiment = experiment_of(scenario);
  SpeedCurve curve(*experiment.cluster().workers.at(0).changes, 1);
  double fast_s = 0;
  double slow_s = 0;
  std::size_t slowdowns = 0;
  for (double t = curve.next_change(0), before = 0; slowdowns < 4000; t = curve.next_change(t)) {
    const double periods = (t - before) / 10;
    CHECK(periods == Approx(std::round(periods)).margin(1e-6));
    if (curve.at(t) == 0.25) {
      CHECK(periods > 0.5);
      fast_s += t - before;
    } else {
      REQUIRE(curve.at(t) == 1);
      CHECK(periods > 3.5);
      CHECK(periods < 20.5);
      slow_s += t - before;
      ++slowdowns;
    }
    before = t;
  }
  // Means of 10 / 0.1 and 120 s. Five standard errors of 4000 draws: 95 / 63 x 5 and 49 / 63 x 5 s.
  CHECK(fast_s / 4000 == Approx(100).margin(7.5));
  CHECK(slow_s / 4000 == Approx(120).margin(3.9));
}

TEST_CASE("slow-downs, changes and traffic are the same for any number of threads") {
  Json scenario = learning_scenario();
  scenario["cluster"]["slowdowns"] = Json::parse(
      R"({"after": {"law": "exponential", "mean": "0.3s"}, "for": "0.2s", "slower": 3})");
  scenario["cluster"]["changes"] = {{{"class", "slow"}, {"at", "0.5s"}, {"bandwidth", 0.1}}};
  scenario["cluster"]["traffic"] =
      Json::parse(R"([{"from": "fast", "to": "slow", "size": "100kB", "every": "10ms"}])");
  scenario["algorithms"] = {{{"name", "async"}}};
  const auto without_wall = [](RunResult result) {
    result.wall_s = result.peak_rss_mb = result.evaluation_wall_s = 0;
    return to_json(result).dump();
  };
  CHECK(without_wall(simulate(scenario, 0, 1)) == without_wall(simulate(scenario, 0, 3)));
}

// ---- Algorithms ----

TEST_CASE("allocation follows a class that is throttled") {
  Json scenario = timing_scenario();
  scenario["cluster"] = {
      {"workers",
       {{{"name", "a"}, {"speed", "1Gf"}},
        {{"name", "b"}, {"speed", "1Gf"}, {"changes", {{{"at", "17.5s"}, {"speed", 0.5}}}}}}},
      {"link", {{"bandwidth", "1000000GBps"}, {"latency", "0s"}}}};
  scenario["cost"]["model_size"] = "1B";
  scenario["defaults"]["batch_size"] = 6;
  scenario["stop"]["updates"] = 6;
  scenario["algorithms"] = {{{"name", "allocation"}, {"period", 1}, {"restart_above", 1.5}}};
  const RunResult result = simulate(scenario);
  // In the third step b computes 5.5 samples at full speed and half a one at half speed: 6.5 s
  // against 6, too little to act on. The fourth takes it 12 s against 6: from now on 8 and 4.
  check_times(result, {6, 12, 18.5, 30.5, 38.5, 46.5});
  REQUIRE(result.decisions.size() == 4);  // two at the start
  CHECK(std::max(result.decisions[2].value, result.decisions[3].value) == 8);
  CHECK(std::min(result.decisions[2].value, result.decisions[3].value) == 4);
}

// ---- Traces ----

TEST_CASE(
    "a trace of factors holds row by row, and the last one for good or from the start again") {
  const tests::TemporaryFolder folder;
  const std::string file =
      folder.write("t.csv", "factor,note,worker,time_s\n1,x,w-0,0\n0.5,x,w-0,1\n0.25,,w-0,3\n");
  Json scenario = lonely({});
  scenario["cluster"]["trace"] = file;
  // Work: 1 at 1 s, 2 at 3 s, then a quarter a second.
  check_both_ways(scenario, {1, 3, 7, 11});
  // With repeat, the last row holds for two seconds: 2.5 at 5 s, 3.5 at 6 s, 4.5 at 8 s, 5 at 10 s.
  scenario["cluster"]["trace"] = {{"file", file}, {"repeat", true}};
  check_both_ways(scenario, {1, 3, 5.5, 7, 10, 11});
}

TEST_CASE("a trace of step times is held against the step that the scenario gives") {
  const tests::TemporaryFolder folder;
  // A batch of 4 takes the worker 4 s by the scenario; it took 8 s, then 2 s.
  const std::string file = folder.write("t.csv", "worker,time_s,step_time_s\n0,0,8\n0,10,2\n");
  Json scenario = lonely({});
  scenario["cluster"]["trace"] = {{"file", file}, {"batch_size", 4}};
  check_both_ways(scenario, {2, 4, 6, 8, 10, 10.5, 11});
  scenario["cluster"]["trace"] = {{"file", file}, {"nominal", 2}};
  check_both_ways(scenario, {4, 8, 10.5, 11.5});
}

TEST_CASE("the mini-batch times of public GPU clusters load as they are") {
  // The header and columns of job_1_norm.csv of Alibaba's cluster-trace-gpu-v2020; times in a unit of
  // their own.
  const tests::TemporaryFolder folder;
  const std::string file = folder.write("job.csv",
                                        ",worker,gpu,time,batch_time_norm\n0,0,25,1,400\n"
                                        "1,1,25,1,400\n2,0,25,11,200\n3,1,25,11,800\n");
  Json scenario = lonely({});
  scenario["cluster"]["workers"][0]["count"] = 2;
  scenario["cluster"]["trace"] = file;
  const Experiment experiment = experiment_of(scenario);
  SpeedCurve first(*experiment.cluster().workers.at(0).changes, 1);
  SpeedCurve second(*experiment.cluster().workers.at(1).changes, 1);
  CHECK(first.at(0) == 1);  // the median is 400
  CHECK(first.next_change(0) == 11);
  CHECK(first.at(11) == 2);
  CHECK(second.at(11) == 0.5);
  scenario["cluster"]["trace"] = {{"file", file}, {"unit", "100ms"}};
  const Experiment faster = experiment_of(scenario);
  CHECK(SpeedCurve(*faster.cluster().workers.at(0).changes, 1).next_change(0) == Approx(1.1));
}

TEST_CASE("a trace is part of a run's identity by its contents") {
  const tests::TemporaryFolder folder;
  const std::string head = "worker,time_s,factor\n";
  Json scenario = lonely({});
  const auto description = [&](const std::string& name, const std::string& rows) {
    scenario["cluster"]["trace"] = folder.write(name, head + rows);
    const Experiment experiment = experiment_of(scenario);
    return experiment.description_of(experiment.runs().at(0)).dump();
  };
  const std::string first = description("a.csv", "0,0,0.5\n");
  CHECK(description("b.csv", "0,0,0.5\n") == first);
  CHECK(description("a.csv", "0,0,0.6\n") != first);
}

}  // namespace
}  // namespace motley
