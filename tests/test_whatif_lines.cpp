// What decides, as the program tells it: whatif.csv, the lines after the table, explain.
#include <map>
#include <sys/stat.h>

#include "sim/base/json.hpp"
#include "sim/cli/tables/whatif_lines.hpp"
#include "sim/study/whatif/whatif.hpp"
#include "tests/catch.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

/// With a batch that takes a gpu 8 ms and a cpu 80 ms, and messages of 72 bytes some 20 us.
class Computing : public Workplace {
 public:
  Computing() {
    Json scenario = Json::parse(small);
    scenario["cost"]["flops_per_sample"] = "1Mf";
    write("s.json", scenario.dump());
  }
};

TEST_CASE("the largest gain is named first, and what brings less than 2 % is not") {
  const std::vector<Gain> gains = {
      {"as_is"},           {"bandwidth_x2", 1.26}, {"no_latency", 1.01},
      {"compute_x2", 1.7}, {"speed_x2:gpu", 1.2},  {"speed_x2:cpu", 1.45}};
  CHECK(what_decides(gains) ==
        "bottleneck: compute speed (twice the compute speed: 1.70x updates/s; twice the speed of "
        "cpu: 1.45x; twice the bandwidth: 1.26x; twice the speed of gpu: 1.20x)");
  CHECK(what_decides({{"as_is"}, {"bandwidth_x2", 1.019}, {"compute_x2", 0.9}}) ==
        "nothing that was tried changes its updates/s by 2 %");
}

TEST_CASE("a part that brings nine tenths of what the whole brings is named instead of it") {
  CHECK(what_decides({{"no_latency", 1.1}, {"compute_x2", 1.5}, {"speed_x2:cpu", 1.5}}) ==
        "bottleneck: speed of cpu (twice the speed of cpu: 1.50x updates/s; no latency: 1.10x)");
  CHECK(bottleneck_of({{"compute_x2", 2}, {"speed_x2:cpu", 1.91}}) == "speed of cpu");
  CHECK(bottleneck_of({{"compute_x2", 2}, {"speed_x2:cpu", 1.89}}) == "compute speed");
  CHECK(bottleneck_of({{"bandwidth_x2", 1.5}, {"server_bandwidth_x2", 1.5}}) ==
        "the server's bandwidth");
  CHECK(bottleneck_of({{"compute_x2", 1.1}, {"server_speed_x2", 1.1}}) == "the server's speed");
}

TEST_CASE("to leave a class out is told but is no bottleneck, and its samples are told with it") {
  CHECK(what_decides({{"compute_x2", 1.5}, {"without:cpu", 4, 1.6}}) ==
        "bottleneck: compute speed (twice the compute speed: 1.50x updates/s; without cpu: 4.00x, "
        "1.60x samples/s)");
  CHECK(what_decides({{"compute_x2", 1.01}, {"without:cpu", 1.5, 1.5}}) ==
        "without cpu: 1.50x updates/s");
}

TEST_CASE("a run is timed whole, a long one by its first gradients") {
  RunResult run;
  run.workers.resize(8);
  run.updates = 500;
  run.gradients = 4000;
  const Json none = Json::object();
  CHECK(updates_to_time(run, none, 1) == 500);
  run.updates = 10'000;
  run.gradients = 80'000;
  CHECK(updates_to_time(run, none, 1) == 20'000 / 8);  // eight gradients an update
  CHECK(updates_to_time(run, none, 20) == 120'000 / 20 / 8);
  CHECK(updates_to_time(run, none, 200) == 2000 / 8);
  run.workers.resize(100);
  CHECK(updates_to_time(run, none, 200) == 50 * 100 / 8);  // fifty a worker
  run.updates = 30;
  run.gradients = 30'000;
  CHECK(updates_to_time(run, none, 200) == 20);  // 5 would be 5000 gradients
}

TEST_CASE("a short run is timed on beyond its end, but not out of its warm-up") {
  RunResult run;
  run.workers.resize(8);
  run.updates = 34;
  run.gradients = 34;  // four of a worker: most of it is its start
  REQUIRE(are_few(34, run));
  CHECK(updates_to_time(run, {{"staleness", 3}}, 1) == 20'000);
  CHECK(updates_to_time(run, {{"warm_up", 10}}, 200) == 2000);
  CHECK(updates_to_time(run, {{"warm_up", 200}}, 1) == 34);
  run.gradients = 34 * 8;
  CHECK_FALSE(are_few(34, run));
  CHECK(are_few(19, run));  // the first of them
  CHECK(updates_to_time(run, Json::object(), 1) == 34);
}

/// Rows of whatif.csv of the only algorithm, by change.
std::map<std::string, std::map<std::string, std::string>> asked_of(const std::string& algorithm,
                                                                   int updates, std::string& told) {
  const Computing place;
  const Outcome outcome = place.run({"--quiet", "--set", "/stop/updates=" + std::to_string(updates),
                                     "--set", "/algorithms=[" + algorithm + "]", "--set",
                                     "/cluster/noise={\"law\": \"exponential\", \"mean\": 0.3}"});
  REQUIRE(outcome.exit_code == 0);
  told = outcome.out;
  std::map<std::string, std::map<std::string, std::string>> rows;
  for (const auto& row : rows_of(place.result("whatif.csv"))) rows[row.at("change")] = row;
  return rows;
}

TEST_CASE("what is said after a few updates is what is said after many") {
  for (const std::string algorithm :
       {R"({"name": "stale", "staleness": 2})", R"({"name": "od_sgd", "warm_up": 2})"}) {
    CAPTURE(algorithm);
    std::string told;
    auto few = asked_of(algorithm, 10, told);
    CHECK_FALSE(contains(told, "few updates"));
    auto many = asked_of(algorithm, 4000, told);
    REQUIRE(few.size() == many.size());
    for (const auto& [change, row] : few) {
      CAPTURE(change);
      CHECK(std::stod(row.at("gain")) == Approx(std::stod(many[change].at("gain"))).epsilon(0.02));
    }
  }
}

TEST_CASE("where few updates are all there are to time, that is said") {
  std::string told;
  const auto rows = asked_of(R"({"name": "od_sgd", "warm_up": 200})", 10, told);
  CHECK(rows.at("as_is").at("updates") == "10");
  CHECK(rows.at("as_is").at("note") == "few_updates");
  CHECK(contains(told, "\n  od_sgd: few updates (10): a longer run may have other gains\n"));
}

TEST_CASE("where equal workers without noise keep in step, less noise is said to be no gain") {
  // A batch takes 80 ms, a message 8 ms through the server's port: four at once take 32 ms.
  const auto told = [](const std::string& workers) {
    const Workplace place;
    const Outcome outcome =
        place.run({"--quiet", "--set", "/cluster/workers=" + workers, "--set",
                   R"(/cost={"flops_per_sample": "10Mf", "model_size": "1MB"})", "--set",
                   R"(/cluster/noise={"law": "exponential", "mean": 0.01})", "--set",
                   R"(/algorithms=[{"name": "async"}])", "--set", R"(/baseline="async")", "--set",
                   "/stop/updates=400"});
    REQUIRE(outcome.exit_code == 0);
    std::string note;
    for (const auto& row : rows_of(place.result("whatif.csv"))) {
      if (row.at("change") == "no_noise") note = row.at("note");
    }
    CHECK(contains(outcome.out, "as equal workers without noise keep in step") == !note.empty());
    return note;
  };
  CHECK(told(R"([{"name": "w", "count": 4, "speed": "1Gf"}])") == "lockstep");
  CHECK(told(R"([{"name": "v", "speed": "1Gf"}, {"name": "w", "speed": "1.13Gf"}])").empty());
}

TEST_CASE("where steps at home are updates, whole rounds are timed") {
  RunResult run;
  run.workers.resize(8);
  run.updates = run.gradients = 1'000'000;
  // Rounds of 8 * 1000 steps and their end: three of them are the first to make 20,000.
  CHECK(updates_to_time(run, {{"local_steps", 1000}}, 1) == 3 * 8001);
  run.updates = 10'000;  // local steps of an update that ends a round are not updates themselves
  CHECK(updates_to_time(run, {{"local_steps", 10}}, 1) == 200);
}

TEST_CASE("a run tells what decides, the same for any number of jobs") {
  const Computing place;
  const Outcome outcome = place.run({"--jobs", "1"});
  REQUIRE(outcome.exit_code == 0);
  const std::string csv = place.result("whatif.csv");
  const std::vector<std::string> lines = lines_of(csv);
  CHECK(lines[0] ==
        "algorithm,change,updates,updates_per_s,gain,samples_per_s,reason,named,bottleneck,note");
  const auto rows = rows_of(csv);
  std::vector<std::string> of_sync;
  for (const auto& row : rows) {
    if (row.at("algorithm") == "sync") of_sync.push_back(row.at("change"));
    if (row.at("change") == "as_is") CHECK(row.at("gain") == "1");
    // Of sync 20 gradients per worker; of async 20 in all, so that it is timed on beyond its end.
    CHECK((row.at("updates") == "20") == (row.at("algorithm") == "sync"));
  }
  CHECK(of_sync == std::vector<std::string>{"as_is", "bandwidth_x2", "server_bandwidth_x2",
                                            "no_latency", "compute_x2", "speed_x2:gpu",
                                            "speed_x2:cpu", "without:cpu"});
  CHECK(contains(outcome.out, "\n  sync: bottleneck: speed of cpu ("));
  CHECK(contains(outcome.err, "timing 2 runs again on changed clusters\n"));

  REQUIRE(place.motley({"run", "s.json", "--out", "other", "--jobs", "3"}).exit_code == 0);
  CHECK(read_file(place.path() / "other/whatif.csv") == csv);

  const Outcome explained = place.motley({"explain", "out", "sync", "async"});
  CHECK(contains(explained.out, "\n  sync: bottleneck: speed of cpu ("));
  CHECK(contains(explained.out, "\n  async: bottleneck: "));
}

TEST_CASE("what was asked of finished runs is not asked again, of new ones it is") {
  const Computing place;
  REQUIRE(place.run().exit_code == 0);
  const std::string csv = place.result("whatif.csv");
  const Outcome again = place.run();
  CHECK_FALSE(contains(again.err, "timing"));
  // Neither a new commit nor an algorithm that is not here makes it outdated.
  const std::string origin = place.result("whatif.json");
  CHECK_FALSE(contains(origin, "commit"));
  CHECK_FALSE(contains(origin, "version"));
  CHECK_FALSE(contains(origin, "diloco"));
  CHECK(contains(again.out, "\n  sync: bottleneck: speed of cpu ("));
  CHECK(contains(place.run({"--fresh"}).err, "timing 2 runs"));
  CHECK(place.result("whatif.csv") == csv);
  CHECK(contains(place.run_with("/cluster/workers/1/speed=500Mf").err, "timing 2 runs"));
  CHECK(place.result("whatif.csv") != csv);
}

TEST_CASE("a table of what decides that is not as it was written is made anew, and told") {
  const Computing place;
  const Outcome first = place.run({"--quiet"});
  REQUIRE(first.exit_code == 0);
  const std::string csv = place.result("whatif.csv");
  std::string edited = csv;
  const std::size_t digit = edited.find_last_of("23456789");
  edited[digit] = edited[digit] == '9' ? '8' : '9';
  const auto check_made_anew = [&](const std::string& why) {
    const Outcome explained = place.motley({"explain", "out", "async", "sync"});
    CHECK(contains(explained.out, "\nout/whatif.csv: " + why +
                                      ": its lines are left out; motley run makes it again\n"));
    CHECK_FALSE(contains(explained.out, "bottleneck"));
    const Outcome again = place.run({"--quiet"});
    CHECK(again.err == "motley: out/whatif.csv: " + why + ": the file is removed and made anew\n");
    CHECK(again.out == first.out);
    CHECK(place.result("whatif.csv") == csv);
  };
  for (const std::string& damaged : {edited, std::string(), std::string("\xff,\0\n", 4)}) {
    place.write("out/whatif.csv", damaged);
    check_made_anew("is not as motley wrote it");
  }
  fs::remove(place.path() / "out/whatif.csv");
  REQUIRE(mkfifo(place.file("out/whatif.csv").c_str(), 0600) == 0);
  check_made_anew("is a FIFO (a pipe), not a file: write what comes out of it to one");
  place.write("out/whatif.csv", edited);
  CHECK(place.run({"--quiet", "--no-whatif"}).err ==
        "motley: out/whatif.csv: is not as motley wrote it: the file is removed\n");
  CHECK_FALSE(place.has("out/whatif.csv"));
}

TEST_CASE("nobody need ask, and what was said of other runs is gone") {
  const Computing place;
  REQUIRE(place.run().exit_code == 0);
  const Outcome outcome = place.run({"--no-whatif", "--fresh"});
  CHECK(outcome.exit_code == 0);
  CHECK_FALSE(contains(outcome.out, "What decides"));
  CHECK_FALSE(place.has("out/whatif.csv"));
  CHECK_FALSE(contains(place.motley({"explain", "out", "sync", "async"}).out, "What decides"));
}

TEST_CASE("a sweep is asked at every point, a large one at its first") {
  const Computing place;
  Outcome outcome = place.run_with(R"(/sweep={"/cluster/workers/1/speed": ["100Mf", "1Gf"]})");
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\n  sync: bottleneck: speed of cpu at 1 point, "));
  const std::string csv = place.result("whatif.csv");
  CHECK(contains(csv, "\nsync,100Mf,speed_x2:cpu,"));
  CHECK(contains(csv, "\nsync,1Gf,speed_x2:cpu,"));

  outcome = place.run({"--set",
                       R"(/sweep={"/defaults/batch_size": {"from": 1, "to": 101, )"
                       R"("steps": 101}})",
                       "--set", "/stop/updates=1"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\n  sync at /defaults/batch_size=1: "));
  CHECK(contains(outcome.out, "computed at the first point only"));
  CHECK_FALSE(contains(place.result("whatif.csv"), "\nsync,2,"));
}

TEST_CASE("what an algorithm cannot do on the changed cluster is left out with the reason") {
  const Computing place;
  const Outcome outcome = place.run_with(
      R"(/algorithms=[{"name": "grouping", "groups": [["gpu-0", "gpu-1"], ["cpu-0"]]}])");
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "\n  without cpu: not tried: "));
  CHECK(contains(place.result("whatif.csv"), "\ngrouping,without:cpu,,,,,"));
}

}  // namespace
}  // namespace motley
