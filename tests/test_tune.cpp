// Tuning as a user meets it: what a scenario may ask for, what is run, what comes out of it.
#include <csignal>
#include <set>

#include "sim/base/json.hpp"
#include "sim/study/provenance.hpp"
#include "sim/study/run_times.hpp"
#include "sim/study/shards.hpp"
#include "sim/study/study.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;
using tests::Outcome;
using tests::read_file;
using tests::rows_of;
using tests::RunningProgram;
using tests::TemporaryFolder;
using tests::without_wall_time;

/// A quadratic of smoothness 1, for which steps beyond 2 diverge; some milliseconds a run.
const std::string tuned = R"({
  "name": "tuned", "seed": 5,
  "model": {"kind": "quadratic", "dimension": 10, "strong_convexity": 0.1, "noise": 0.1},
  "cluster": {"workers": [{"name": "a", "speed": "2Mf"}, {"name": "b", "speed": "1Mf"}],
              "server": {"speed": "1Gf"}, "link": {"bandwidth": "1Gbps", "latency": "10us"}},
  "target": {"loss": 0.1},
  "stop": {"updates": 300, "at_target": true},
  "evaluate": {"every": 2},
  "replicas": 2,
  "defaults": {"batch_size": 4},
  "tune": {"step_size": {"from": 0.01, "to": 1, "steps": 5, "scale": "log"}, "runs": 15},
  "algorithms": [{"name": "sync"}, {"name": "async"},
                 {"name": "stale", "tune": {"staleness": [1, 2]}}]
})";

class Workplace : public TemporaryFolder {
 public:
  Workplace() { write("s.json", tuned); }

  Outcome motley(const std::vector<std::string>& arguments) const {
    return tests::run_motley(arguments, path());
  }
  Outcome run(const std::string& out, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "s.json", "--out", out, "--quiet"});
    return motley(more);
  }
  std::string result(const std::string& out, const std::string& name) const {
    return read_file(path() / out / name);
  }
  /// As if nothing had disturbed either.
  void check_same(const std::string& a, const std::string& b) const {
    for (const char* name : {"curves.csv", "workers.csv", "tuned.csv", "plan.json"}) {
      INFO(name);
      CHECK(result(a, name) == result(b, name));
    }
    CHECK(without_wall_time(result(a, "runs.csv")) == without_wall_time(result(b, "runs.csv")));
  }
  std::size_t stored(const std::string& out) const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path() / out / "runs")) {
      count += entry.path().extension() == ".json" ? 1 : 0;
    }
    return count;
  }
};

Study study_of(const Json& scenario) {
  const TemporaryFolder folder;
  return Study(folder.write("s.json", scenario.dump()), {});
}

std::string refusal(const Json& scenario) {
  try {
    study_of(scenario);
  } catch (const InputError& e) {
    const std::string text = e.what();
    return text.substr(text.find("s.json"));
  }
  return "accepted";
}

Json changed(const char* pointer, const Json& value) {
  Json scenario = Json::parse(tuned);
  scenario[Json::json_pointer(pointer)] = value;
  return scenario;
}

TEST_CASE("what was chosen is told with four digits, which is more than a choice needs") {
  TuningRecord record;
  record.candidates = {{Json{{"step_size", 0.0584803547643}, {"staleness", 16384}}, 0, {}}};
  record.chosen = 0;
  CHECK(record.chosen_text() == "step_size 0.05848, staleness 16384");
  record.candidates[0].values = {{"step_size", 0.1}};
  CHECK(record.chosen_text() == "step_size 0.1");
}

TEST_CASE("every algorithm is tuned by itself, its own grids beside the scenario's") {
  const Study study = study_of(Json::parse(tuned));
  REQUIRE(study.units().size() == 3);
  CHECK(study.units()[0].label == "sync");
  CHECK(study.units()[0].parameters == std::vector<std::string>{"step_size"});
  CHECK(study.units()[0].choice.candidates.size() == 5);
  CHECK(study.units()[2].parameters == std::vector<std::string>{"staleness", "step_size"});
  // 2 x 5 of them; of 15 runs 3 are for edges and half of the rest, 6, for the first rung.
  CHECK(product_size(study.units()[2].choice.grids) == 10);
  CHECK(study.units()[2].choice.candidates.size() == 6);
  CHECK(study.describe().find("tuned: 6 runs (1 point x 2 replicas x 3 algorithms), after 45 "
                              "tuning runs") == 0);
  CHECK(study.describe().find("\ntuning: stale tries an even sample of 6 of its 10 candidates") !=
        std::string::npos);
}

TEST_CASE("a value of its own or null leaves an algorithm alone") {
  for (const Json& entry : {Json{{"name", "sync"}, {"step_size", 0.5}},
                            Json{{"name", "sync"}, {"tune", {{"step_size", nullptr}}}}}) {
    Json scenario = changed("/algorithms/0", entry);
    scenario["defaults"]["step_size"] = 0.5;
    const Study study = study_of(scenario);
    REQUIRE(study.units().size() == 2);
    CHECK_FALSE(study.unit_of(0));
    CHECK(study.plan(0).parameters["step_size"] == 0.5);
    CHECK_FALSE(study.entry(0).hash.empty());
    CHECK(study.entry(1).hash.empty());
    CHECK(study.describe().find("\ntuning: sync is not tuned; it has the values it is given") !=
          std::string::npos);
  }
}

TEST_CASE("a mistake in what is tuned is told at its place") {
  CHECK(refusal(changed("/tune/stepsize", {1, 2}))
            .find("s.json: /tune/stepsize: unknown key (did you mean 'step_size'?), known here: "
                  "runs, at, ") == 0);
  Json alone = changed("/tune/stepsize", {1, 2});
  alone["tune"].erase("step_size");  // what it was to be is missing then, which is not the mistake
  CHECK(refusal(alone).starts_with("s.json: /tune/stepsize: unknown key (did you mean "));
  // A slip is no parameter, whatever it is given.
  for (const Json& value : {Json(20), Json{1, 2}, Json("20"), Json()}) {
    CHECK(refusal(changed("/tune/rnus", value))
              .find("s.json: /tune/rnus: unknown key (did you mean 'runs'?), known here: runs, at, "
                    "batch_size, ") == 0);
  }
  CHECK(refusal(changed("/defaults/step_size", 0.1)) ==
        "s.json: /defaults/step_size: has no effect, since /tune/step_size tunes it: remove one of "
        "them");
  CHECK(
      refusal(changed("/seed", 9007199254000000)) ==
      "s.json: /seed: must be at most 9007199253740977, since replicas and tuning take seeds up to "
      "1000014 above it, got 9007199254000000");
  CHECK(
      refusal(changed("/tune/warm_up", {1, 2})) ==
      "s.json: /tune/warm_up: is a parameter of no algorithm here, only of od_sgd, cd_sgd, cp_sgd");
  CHECK(refusal(changed("/tune/step_size", {1, -1})) ==
        "s.json: /algorithms/0/step_size: must be a number above 0, got -1 (a value of "
        "/tune/step_size)");
  CHECK(
      refusal(changed("/tune/step_size", 1)) ==
      "s.json: /tune/step_size: must be a list of values, or {\"from\": 1, \"to\": 32, \"steps\": "
      "6, \"scale\": \"log\"}, got 1");
  CHECK(refusal(changed("/tune/runs", 2)) ==
        "s.json: /tune/runs: must be a whole number from 4 to 10000, got 2");
  CHECK(refusal(changed("/tune/at", "first")) ==
        "s.json: /tune/at: must be one of every_point or first_point (did you mean "
        "'first_point'?), got \"first\"");
  CHECK(refusal(changed("/algorithms/2/tune", {{"stalenes", {1}}}))
            .find("s.json: /algorithms/2/tune/stalenes: is no parameter of stale (did you mean "
                  "'staleness'?), which takes: ") == 0);
  CHECK(refusal(changed("/algorithms/2/staleness", 3)) ==
        "s.json: /algorithms/2/tune/staleness: has a value beside \"tune\" as well: remove one of "
        "them");
  CHECK(refusal(changed("/algorithms", {{{"name", "sync"}, {"step_size", 1}}})) ==
        "s.json: /tune/step_size: tunes no algorithm: every algorithm that takes it has a value of "
        "its own");
  CHECK(refusal(changed("/sweep", {{"/tune/runs", {10, 20}}})) ==
        "s.json: /sweep/~1tune~1runs: cannot be swept: /tune is of all runs together");
  CHECK(
      refusal(changed("/sweep", {{"/seed", {5, 1'000'005}}})) ==
      "s.json: /sweep: has a seed that tuning at another point needs, which must not be reported: "
      "choose seeds that are less than 1000000 apart, got 1000005");
}

TEST_CASE("a sweep tunes at every point, or once for all") {
  Json scenario = changed("/sweep", {{"/cluster/link/latency", {"10us", "1ms", "10ms"}}});
  CHECK(study_of(scenario).units().size() == 9);
  scenario["tune"]["at"] = "first_point";
  const Study study = study_of(scenario);
  CHECK(study.units().size() == 3);
  CHECK(study.units()[0].reported.size() == 6);
  // What a value of one algorithm changes is tuned again, the others are not.
  scenario = changed("/sweep", {{"/algorithms/1/batch_size", {4, 8}}});
  CHECK(study_of(scenario).units().size() == 4);
}

TEST_CASE("a shard has whole tunings, and all shards together everything once") {
  const Json scenario = changed("/sweep", {{"/cluster/link/latency", {"10us", "1ms", "10ms"}}});
  const Study study = study_of(scenario);
  CHECK(most_shards(study) == 9);
  std::set<std::size_t> runs;
  std::set<std::size_t> units;
  for (std::size_t k = 1; k <= 4; ++k) {
    std::set<std::size_t> here;
    for (const std::size_t run : runs_of_shard(study, {k, 4})) {
      CHECK(runs.insert(run).second);
      here.insert(*study.unit_of(run));
    }
    for (const std::size_t unit : here) CHECK(units.insert(unit).second);
  }
  CHECK(runs.size() == 18);
  CHECK(units.size() == 9);
}

TEST_CASE("the reported runs have the values chosen, on seeds that chose nothing") {
  const Workplace place;
  const Outcome outcome = place.run("out");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.find("Tuned on seeds that are not reported") != std::string::npos);
  CHECK(outcome.out.find(" (tried all of its 5 values") != std::string::npos);
  CHECK(outcome.out.find(" (tried 6 of its 10 combinations") != std::string::npos);
  std::map<std::string, std::string> chosen;
  std::map<std::string, int> runs;
  for (const auto& row : rows_of(place.result("out", "tuned.csv"))) {
    if (row.at("chosen") == "1") chosen[row.at("algorithm")] = row.at("step_size");
    runs[row.at("algorithm")] += std::stoi(row.at("seeds"));
    CHECK((row.at("staleness").empty()) == (row.at("algorithm") != "stale"));
  }
  CHECK(place.result("out", "tuned.csv")
            .starts_with("algorithm,candidate,step_size,staleness,rung,seeds,reached,broken,"
                         "time_to_target_s,best_test_accuracy,final_test_loss,chosen,at_edge\n"));
  REQUIRE(chosen.size() == 3);
  for (const auto& [algorithm, count] : runs) {
    INFO(algorithm);
    CHECK(count == 15);
  }
  const auto rows = rows_of(place.result("out", "runs.csv"));
  REQUIRE(rows.size() == 6);
  CHECK(place.stored("out") ==
        6 + static_cast<std::size_t>(runs["sync"] + runs["async"] + runs["stale"]));
  std::set<std::string> reported;
  for (const RunEntry& run : read_run_table(place.path() / "out" / "plan.json").runs) {
    reported.insert(run.hash);
  }
  for (const auto& entry : fs::directory_iterator(place.path() / "out" / "runs")) {
    const Json run = Json::parse(read_file(entry.path()));
    const Json& description = run["description"];
    const std::uint64_t seed = description["seed"];
    const std::string algorithm = description["algorithm"]["name"];
    CHECK_FALSE(description.contains("tune"));
    if (reported.contains(entry.path().stem().string())) {
      CHECK((seed == 5 || seed == 6));
      CHECK(description["algorithm"]["step_size"].get<double>() ==
            Approx(std::stod(chosen.at(algorithm))));
    } else {
      CHECK(seed >= 1'000'005);
      CHECK(seed < 1'000'020);
    }
  }
}

TEST_CASE("what is reported is what the same values give when they are written") {
  const Workplace place;
  REQUIRE(place.run("out").exit_code == 0);
  Json written = Json::parse(tuned);
  written.erase("tune");
  for (const auto& row : rows_of(place.result("out", "tuned.csv"))) {
    if (row.at("chosen") != "1") continue;
    for (Json& algorithm : written["algorithms"]) {
      if (algorithm["name"] != row.at("algorithm")) continue;
      algorithm.erase("tune");
      algorithm["step_size"] = std::stod(row.at("step_size"));
      if (row.at("algorithm") == "stale") algorithm["staleness"] = std::stoi(row.at("staleness"));
    }
  }
  place.write("s.json", written.dump());
  REQUIRE(place.run("written").exit_code == 0);
  CHECK(place.result("out", "curves.csv") == place.result("written", "curves.csv"));
  CHECK_FALSE(fs::exists(place.path() / "written" / "tuned.csv"));
}

TEST_CASE("the same bytes for any number of jobs, from the stored scenario, and after a kill") {
  const Workplace place;
  REQUIRE(place.run("one", {"--jobs", "1"}).exit_code == 0);
  REQUIRE(place.run("three", {"--jobs", "3", "--threads", "2"}).exit_code == 0);
  place.check_same("one", "three");

  RunningProgram program(MOTLEY_BINARY, {"run", "s.json", "--out", "killed", "--jobs", "2"},
                         place.path());
  program.wait_for_line("20/");
  program.send(SIGKILL);
  program.wait();
  const std::size_t kept = place.stored("killed");
  CHECK(kept >= 20);
  const Outcome rest = place.motley({"run", "s.json", "--out", "killed"});
  CHECK(rest.exit_code == 0);
  CHECK(rest.err.find(" already done\n") != std::string::npos);
  place.check_same("one", "killed");

  fs::copy(place.path() / "one" / "scenario.json", place.path() / "s.json",
           fs::copy_options::overwrite_existing);
  REQUIRE(place.run("again").exit_code == 0);
  place.check_same("one", "again");
}

TEST_CASE("shards that tune apart are merged into the same results, and go on from there") {
  const Workplace place;
  REQUIRE(place.run("whole").exit_code == 0);
  for (const char* k : {"1", "2"}) {
    const std::string shard = std::string("shard") + k;
    REQUIRE(place.run(shard, {"--shard", std::string(k) + "/2"}).exit_code == 0);
  }
  CHECK(place.motley({"merge", "shard1", "--out", "half"}).exit_code == 1);
  const Outcome merged = place.motley({"merge", "shard1", "shard2", "--out", "merged"});
  INFO(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK(merged.out.find("6 of 6 runs\n") == 0);
  place.check_same("whole", "merged");
  CHECK(place.stored("whole") == place.stored("merged"));
  // What decides is asked of the values that were chosen, from nothing but what is in the folder.
  CHECK(merged.out.find("\nWhat decides (") != std::string::npos);
  CHECK(place.result("whole", "whatif.csv") == place.result("merged", "whatif.csv"));
  CHECK_FALSE(fs::exists(place.path() / "half" / "whatif.csv"));
  CHECK(place.motley({"merge", "shard1", "shard2", "--out", "unasked", "--no-whatif"}).exit_code ==
        0);
  CHECK_FALSE(fs::exists(place.path() / "unasked" / "whatif.csv"));
  // What the folder has already is kept, and counts.
  const Outcome into_whole = place.motley({"merge", "shard1", "--out", "merged"});
  INFO(into_whole.err);
  CHECK(into_whole.exit_code == 0);
  CHECK(into_whole.out.find("6 of 6 runs\n") == 0);
  // Another scenario's results are not replaced.
  const std::string before = read_file(place.path() / "whole" / "plan.json");
  REQUIRE(place.run("other", {"--set", "/name=\"another\"", "--set", "/replicas=1"}).exit_code ==
          0);
  const Outcome elsewhere = place.motley({"merge", "other", "--out", "whole"});
  CHECK(elsewhere.exit_code == 2);
  CHECK(elsewhere.err.find("--out: whole holds the results of the scenario '") !=
        std::string::npos);
  CHECK(read_file(place.path() / "whole" / "plan.json") == before);
  // A tuning run that is gone is missed.
  const Json plan = Json::parse(read_file(place.path() / "shard1" / "plan.json"));
  const auto tuning = std::ranges::find_if(plan["tuning"], [](const Json& record) {
    return !record["candidates"].empty() && !record["candidates"][0]["hashes"].empty();
  });
  REQUIRE(tuning != plan["tuning"].end());
  const std::string hash = (*tuning)["candidates"][0]["hashes"][0];
  REQUIRE(fs::remove(place.path() / "shard1" / "runs" / (hash + ".json")));
  const Outcome incomplete = place.motley({"merge", "shard1", "shard2", "--out", "incomplete"});
  CHECK(incomplete.exit_code == 1);
  CHECK(incomplete.err.find("motley: 1 tuning run is missing; to do it: motley run ") == 0);
  // A folder that has everything has nothing to do; one that has half does the rest.
  const Outcome again = place.motley({"run", "s.json", "--out", "merged"});
  CHECK(again.err.find("/") == std::string::npos);
  CHECK(again.exit_code == 0);
  REQUIRE(place.run("half").exit_code == 0);
  place.check_same("whole", "half");
}

TEST_CASE("a shard done afresh tunes afresh, and leaves the others alone") {
  const Workplace place;
  REQUIRE(place.run("out").exit_code == 0);
  const std::size_t all = place.stored("out");
  const Outcome fresh =
      place.motley({"run", "s.json", "--out", "out", "--shard", "1/3", "--fresh", "--jobs", "1"});
  CHECK(fresh.exit_code == 0);
  CHECK(fresh.err.find("already done") == std::string::npos);
  CHECK(fresh.err.find("-tune0-") != std::string::npos);
  CHECK(place.stored("out") == all);
}

TEST_CASE("the plan counts tuning runs and gives times") {
  const Workplace place;
  const Outcome before = place.motley({"plan", "s.json", "--out", "out"});
  CHECK(before.exit_code == 0);
  CHECK(before.out.find("\n45 tuning runs + 6 reported runs; 0 tuning runs done; reported: 6 "
                        "to be tuned, at most ") != std::string::npos);
  CHECK(before.out.find(" s of one core left") != std::string::npos);
  CHECK_FALSE(fs::exists(place.path() / "out"));
  REQUIRE(place.run("out").exit_code == 0);
  const Outcome after = place.motley({"plan", "s.json", "--out", "out"});
  CHECK(after.out.find("reported: 6 done, at most 0 s of one core left") != std::string::npos);
}

TEST_CASE("what tuning runs took tells how long the others will take") {
  const TemporaryFolder folder;
  Study study(folder.write("s.json", tuned), {});
  const std::vector<std::size_t> first =
      study.advance(0, [](const std::string&) { return nullptr; });
  REQUIRE(first.size() == 5);  // all candidates of sync on one seed
  fs::create_directories(folder.path() / "runs");
  const RunStore store(folder.path());
  for (const double wall_s : {1000.0, 3000.0}) {
    const std::size_t run = first[wall_s < 2000 ? 0 : 1];
    RunResult result;
    result.algorithm = "sync";
    result.wall_s = wall_s;
    result.curve.resize(1);  // a run that was something
    result.workers.resize(1);
    store.save(study.entry(run).hash, {this_program("sync"), study.description(run), result});
  }
  StoredResults stored(folder.path());
  RunTimes times(study, stored);
  CHECK(times.seconds_of_trial(0) == Approx(2000));
  CHECK(times.seconds(0) == Approx(2000 * study.cost(0) / study.cost(first[0])));
}

TEST_CASE("a grid whose end is best is said in the table and in tuned.csv") {
  const Workplace place;
  const Outcome outcome =
      place.run("out", {"--set", "/tune={\"step_size\": [1e-6, 2e-6], \"runs\": 4}"});
  REQUIRE(outcome.exit_code == 0);
  // Half the budget's runs are on 1e-6 and 2e-6, the other half on 4e-6 and 8e-6: the fastest of all.
  CHECK(outcome.out.find("warning: sync was tuned to step_size 8e-06, the edge of its grid: better "
                         "may lie beyond\n") != std::string::npos);
  for (const auto& row : rows_of(place.result("out", "summary.csv"))) {
    CHECK(row.at("tuned_at_edge") == "1");
  }
  std::size_t at_edge = 0;
  for (const auto& row : rows_of(place.result("out", "tuned.csv"))) {
    at_edge += row.at("at_edge") == "1" ? 1 : 0;
  }
  CHECK(at_edge == 3);
}

TEST_CASE("a grid of which only a sample was tried is marked in table, warnings and summary") {
  const Workplace place;
  const Outcome outcome = place.run("out");
  REQUIRE(outcome.exit_code == 0);
  // 15 runs are enough to halve five values, but not the ten combinations of stale.
  CHECK(
      outcome.out.find("warning: stale was tuned on a sample of its grid (6 of 10): better may lie "
                       "between; more runs (/tune/runs) try all\n") != std::string::npos);
  CHECK(outcome.out.find("sync was tuned on a sample") == std::string::npos);
  for (const auto& row : rows_of(place.result("out", "summary.csv"))) {
    CHECK(row.at("tuned_share_of_grid") == (row.at("algorithm") == "stale" ? "0.6" : "1"));
  }
  const auto warnings = rows_of(place.result("out", "warnings.csv"));
  CHECK(std::ranges::count(warnings, "sampled_grid", [](const auto& w) { return w.at("kind"); }) ==
        1);
}

TEST_CASE("a sweep too large to check is counted and refused at once") {
  Json scenario = Json::parse(tuned);
  const auto axis = [](int n) { return Json{{"from", 1}, {"to", n}, {"steps", n}}; };
  scenario["sweep"] = {{"/algorithms/0/batch_size", axis(600)},
                       {"/algorithms/1/batch_size", axis(466)}};
  // 600 x 466 = 279,600 points, each of 2 replicas and 3 algorithms.
  CHECK(
      refusal(scenario) ==
      "s.json: /sweep: makes 279600 points (600 x 466) and 1677600 runs: at most 20000 runs, since "
      "all are checked before the first begins, which shall take seconds; an axis for each "
      "algorithm's own parameter is what \"tune\" avoids");
}

TEST_CASE("workers of so many points that checking them would take long are counted and refused") {
  Json scenario = Json::parse(tuned);
  scenario.erase("tune");
  scenario["defaults"]["step_size"] = 0.1;
  scenario["algorithms"] = {{{"name", "sync"}}};
  scenario["cluster"]["workers"][0]["count"] = 9'999;
  const std::string why =
      " together, since all are checked before the first run begins, which shall take seconds";
  const auto sweep = [&](const char* pointer, int steps) {
    scenario["sweep"] = {{pointer, {{"from", 1}, {"to", steps}, {"steps", steps}}}};
  };
  // 9,999 and one more at each point: 2,000 points are the most. The first tells of all.
  sweep("/model/noise", 2001);
  CHECK(refusal(scenario) ==
        "s.json: /sweep: makes 20010000 workers at 2001 points: at most 20000000" + why);
  // Speeds that are drawn are drawn in each replica.
  scenario.erase("sweep");
  scenario["replicas"] = 2001;
  scenario["cluster"]["workers"][0]["spread"] = {{"law", "lognormal"}, {"sigma", 0.5}};
  CHECK(refusal(scenario) ==
        "s.json: /replicas: makes 20010000 workers at 1 point: at most 20000000" + why);
  // Where the number itself is swept, points count as they come: 6,666 times 1 + 1 and 3,001 + 1.
  scenario["replicas"] = 6666;
  scenario["sweep"] = {{"/cluster/workers/0/count", {1, 3001, 5}}};
  CHECK(refusal(scenario) ==
        "s.json: /sweep: makes 20024664 workers at the first 2 of 3 points: at most 20000000" +
            why);
  // Those that are written are counted before any is made: 10,000,000 + 9,999,999 are few enough.
  scenario.erase("replicas");
  scenario["sweep"] = {{"/cluster/workers/0/count", {9'999'999, 9'999'998, 2}}};
  CHECK(refusal(scenario) ==
        "s.json: /sweep: makes 20000002 workers at 3 points: at most 20000000" + why);
}

TEST_CASE("the runs of the tuning count in the limit") {
  Json scenario = Json::parse(tuned);
  scenario["sweep"] = {{"/model/noise", {{"from", 1}, {"to", 400}, {"steps", 400}}}};
  // 400 points of 2 replicas and 3 algorithms; each algorithm takes 15 runs at each point.
  CHECK(refusal(scenario) ==
        "s.json: /sweep: makes 400 points and 2400 runs after 18000 tuning runs: at most 20000 of "
        "both together, since all are checked before the first begins, which shall take seconds");
  scenario["tune"]["at"] = "first_point";
  CHECK(study_of(scenario).size() == 2400);
  scenario.erase("sweep");
  scenario["tune"]["runs"] = 10000;
  CHECK(refusal(scenario).starts_with("s.json: /tune/runs: makes 1 point and 6 runs after 30000 "));
}

TEST_CASE("a tuning in which nothing was learnt is said to have been in vain") {
  const Workplace place;
  // Smoothness 1: steps beyond 2 diverge. Five candidates, 100 to 500, and none beyond the grid.
  const Outcome outcome =
      place.run("out", {"--set", "/tune={\"step_size\": [100, 200, 300, 400, 500], \"runs\": 15}",
                        "--set", "/algorithms=[{\"name\": \"sync\"}]"});
  CHECK(outcome.out.find("warning: sync was tuned in vain: all 15 tuning runs of its ") !=
        std::string::npos);
  CHECK(outcome.out.find(" diverged or failed; step_size 100 is no choice: give another grid\n") !=
        std::string::npos);
  for (const auto& row : rows_of(place.result("out", "summary.csv"))) {
    CHECK(row.at("tuned_at_edge") == "1");
  }
  CHECK(place.result("out", "warnings.csv").find("tuned_in_vain") != std::string::npos);
}

TEST_CASE("a range for a parameter that is a whole number is rounded") {
  Json scenario = Json::parse(tuned);
  scenario["tune"]["batch_size"] = {{"from", 1}, {"to", 10}, {"steps", 5}, {"scale", "log"}};
  scenario["defaults"].erase("batch_size");
  // 10^(i/4): 1, 1.78, 3.16, 5.62, 10.
  const Study study = study_of(scenario);
  const TuningUnit& unit = study.units().front();
  const auto grid = std::ranges::find(unit.parameters, "batch_size") - unit.parameters.begin();
  CHECK(unit.choice.grids[static_cast<std::size_t>(grid)].values ==
        std::vector<Json>{1, 2, 3, 6, 10});
  scenario["tune"]["batch_size"]["steps"] = 21;  // 10^(i/20): 1, 1.12, ... are 1 more than once
  const Study finer = study_of(scenario);
  CHECK(finer.units().front().choice.grids[static_cast<std::size_t>(grid)].values ==
        std::vector<Json>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

}  // namespace
}  // namespace motley
