// The same algorithm files for real, by MPI: what must be as in a simulation, whatever the clock says.

#include <algorithm>
#include <map>
#include <set>

#include "sim/base/json.hpp"
#include "tests/live.hpp"

namespace motley {
namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

/// Loss and accuracy by the number of the update.
std::map<std::string, std::pair<std::string, std::string>> learnt(const Rows& curves,
                                                                  const std::string& run) {
  std::map<std::string, std::pair<std::string, std::string>> points;
  for (const auto& row : curves) {
    if (row.at("run") == run) {
      points[row.at("updates")] = {row.at("test_loss"), row.at("test_accuracy")};
    }
  }
  return points;
}

const std::map<std::string, std::string>& row_of(const Rows& rows, const std::string& run) {
  for (const auto& row : rows) {
    if (row.at("run") == run) return row;
  }
  throw std::runtime_error("no row of " + run);
}

}  // namespace

TEST_CASE(
    "all eight algorithms run for real, and those without chance learn what they learn in a "
    "simulation") {
  const LivePlace place;
  mpirun();
  const Outcome live = place.live(4, {"live", "live.json", "--out", "live", "--trace"});
  INFO(live.err);
  REQUIRE(live.exit_code == 0);
  REQUIRE(place.motley({"run", "live.json", "--out", "out", "--no-whatif"}).exit_code == 0);

  const Rows simulated = rows_of(place.result("runs.csv"));
  const Rows measured = rows_of(read_file(place.path() / "live" / "runs.csv"));
  REQUIRE(measured.size() == 8);
  for (const auto& row : measured) {
    INFO(row.at("run"));
    CHECK(row.at("status") == "ok");
    CHECK(row.at("updates") == "12");
  }
  const Rows curves = rows_of(place.result("curves.csv"));
  const Rows live_curves = rows_of(read_file(place.path() / "live" / "curves.csv"));
  for (const char* run : {"sync-0", "allreduce-0", "local-0", "od_sgd-0", "biased_local-0"}) {
    INFO(run);
    // The initial model, and after 4, 8 and 12 updates: the same bits.
    CHECK(learnt(curves, run).size() == 4);
    CHECK(learnt(live_curves, run) == learnt(curves, run));
    CHECK(row_of(measured, run).at("mean_staleness") ==
          row_of(simulated, run).at("mean_staleness"));
  }
  // A worker's states add up to the time of the run.
  for (const auto& row : rows_of(read_file(place.path() / "live" / "workers.csv"))) {
    double sum = 0;
    for (const char* state : {"compute_s", "transfer_s", "wait_s", "discarded_s"}) {
      sum += std::stod(row.at(state));
    }
    CHECK(sum == Approx(std::stod(row_of(measured, row.at("run")).at("virtual_s"))).epsilon(1e-9));
  }
  CHECK(fs::exists(place.path() / "live" / "events.csv"));
  CHECK(place.motley({"explain", "live", "async", "sync"}).exit_code == 0);

  const Outcome compared = place.motley({"compare", "out", "live"});
  INFO(compared.err);
  CHECK(compared.exit_code == 0);
  CHECK(contains(compared.out, "rank correlation"));
  CHECK(rows_of(read_file(place.path() / "live" / "compare.csv")).size() == 8);
  CHECK_FALSE(contains(compared.out, "differ"));

  CHECK(contains(compared.out, "How much of this is chance is not known"));
  // More replicas of the simulation are no other scenario. Where they do not vary they tell nothing of chance.
  const auto against_three = [&](const std::string& folder, std::vector<std::string> more) {
    std::vector<std::string> words = {"run", "live.json", "--out", folder, "--set", "/replicas=3"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(place.motley(words).exit_code == 0);
    return place.motley({"compare", folder, "live"}).out;
  };
  const std::string without_noise = against_three("three", {});
  CHECK(contains(without_noise, "Predicted (means of 3 runs), and measured\n"));
  CHECK(contains(without_noise, "How much of this is chance is not known"));
  CHECK_FALSE(contains(without_noise, "differ"));
  const std::string with_noise =
      against_three("noisy", {"--set", R"(/cluster/noise={"law": "lognormal", "sigma": 0.1})"});
  CHECK(contains(with_noise, "by chance"));
  for (const auto& row : rows_of(read_file(place.path() / "live" / "compare.csv"))) {
    CHECK(row.at("predicted_runs") == "3");
    CHECK(row.at("measured_runs") == "1");
    CHECK_FALSE(row.at("update_chance").empty());
  }
  REQUIRE(place
              .motley({"run", "live.json", "--out", "swept", "--set",
                       "/sweep={\"/defaults/step_size\": [0.1, 0.2]}"})
              .exit_code == 0);
  CHECK(contains(place.motley({"compare", "swept", "live"}).err, "swept is of a sweep"));

  const Outcome swapped = place.motley({"compare", "live", "out"});
  CHECK(swapped.exit_code == 2);
  CHECK(contains(swapped.err, "the simulation comes first: motley compare out live"));
  CHECK(contains(place.motley({"compare", "out", "out"}).err, "out is of a simulation"));
  CHECK(contains(place.motley({"compare", "live", "live"}).err, "live is of a live run"));
  // Neither takes the place of the other.
  const Outcome over_live = place.motley({"run", "live.json", "--out", "live"});
  CHECK(over_live.exit_code == 2);
  CHECK(contains(over_live.err, "--out: live holds results of live runs (motley live)"));
  const Outcome over_simulated = place.live(4, {"live", "live.json", "--out", "out"});
  CHECK(over_simulated.exit_code != 0);
  CHECK(contains(over_simulated.err, "--out: out holds results of a simulation (motley run)"));
  CHECK(rows_of(place.result("runs.csv")) == simulated);
}

TEST_CASE("where workers keep their own models the curve goes on to the end of the run") {
  const LivePlace place;
  mpirun();
  // The slow one makes an update where the others make eight, so it has none for most of the points.
  const std::vector<std::string> changes = {"--set", R"(/algorithms=[{"name": "ad_psgd"}])",
                                            "--set", "/stop={\"time\": \"2s\"}",
                                            "--set", "/evaluate/every=100ms",
                                            "--set", "/target={\"loss\": 1}",
                                            "--set", "/cluster/workers/1/samples_per_s=32"};
  std::vector<std::string> words = {"live", "live.json", "--out", "live"};
  words.insert(words.end(), changes.begin(), changes.end());
  const Outcome live = place.live(3, words);
  INFO(live.err);
  REQUIRE(live.exit_code == 0);
  const Rows curve = rows_of(read_file(place.path() / "live" / "curves.csv"));
  CHECK(curve.size() > 10);
  CHECK(curve.back().at("time_s") == "2");
  // The mean reaches the target when averaging, as tried, would be through.
  const auto run = rows_of(read_file(place.path() / "live" / "runs.csv")).front();
  REQUIRE_FALSE(run.at("time_to_target_s").empty());
  CHECK(std::stod(run.at("averaging_s")) > 0);
  CHECK(std::stod(run.at("time_to_target_s")) > std::stod(run.at("averaging_s")));
  CHECK(std::stod(run.at("time_to_target_s")) <= 2);
}

TEST_CASE("what cannot be live is refused before anything starts, and told once") {
  const LivePlace place;
  mpirun();
  const auto refused = [&](int ranks, const std::vector<std::string>& words, int code) {
    const Outcome outcome = place.live(ranks, words);
    CAPTURE(words, outcome.err);
    CHECK(outcome.exit_code == code);
    CHECK_FALSE(place.has("live/plan.json"));
    const std::vector<std::string> lines = lines_of(outcome.err);
    CHECK(std::ranges::count_if(
              lines, [](const std::string& line) { return line.starts_with("motley: "); }) == 1);
    return lines.front();
  };
  const auto refusal = [&](int ranks, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"live", "live.json", "--out", "live"};
    words.insert(words.end(), more.begin(), more.end());
    return refused(ranks, words, 2);
  };
  CHECK(contains(refusal(3, {}), "the run needs 4 ranks, 3 workers and 1 server, and there are 3"));
  CHECK(contains(refusal(4, {"--set", R"(/cluster/failures={"detect_after": "1s"})"}),
                 "/cluster/failures: a live run does not make machines fail"));
  CHECK(contains(refusal(4, {"--algorithm", "synk"}), "did you mean 'sync'?"));
  CHECK(contains(refusal(4, {"--set", "/defaults/overlap=layers"}),
                 "overlap: a live run sends whole models and gradients"));
  CHECK(contains(
      refusal(4, {"--set", R"(/algorithms=[{"name": "daso"}])", "--set",
                  R"(/cluster/workers=[{"name": "w", "count": 4, "per_node": 2, "speed": "1Gf",
                     "inside": {"bandwidth": "10Gbps", "latency": "1us"}}])"}),
      "daso: it averages between nodes by messages of its own"));
  CHECK(contains(refusal(4, {"--nonsense"}), "unknown option '--nonsense'"));
  // Whatever goes wrong on one rank, the others do not wait for it for ever.
  fs::create_directories(place.path() / "live" / ".lock");
  CHECK(contains(refused(4, {"live", "live.json", "--out", "live"}, 1), "rank 0: "));

  CHECK(contains(refused(4, {"calibrate", "live.json"}, 2), "needs --out FILE"));
  CHECK(contains(refused(4, {"calibrate", "live.json", "--out", "m.csv"}, 2),
                 "the timings go beside it as .csv"));
  CHECK(contains(refused(4, {"calibrate", "live.json", "--out", "live.json"}, 2),
                 "--out: is the scenario itself"));
  place.write("data.csv", "a,b\n1,2\n");
  CHECK(contains(refused(4, {"calibrate", "live.json", "--out", "data.json"}, 2),
                 "data.csv, which holds something else"));
  CHECK(contains(refused(4, {"calibrate", "live.json", "--out", "absent/m.json"}, 2),
                 "nothing can be written into absent"));
}

TEST_CASE("a calibrated scenario can be run") {
  const LivePlace place;
  mpirun();
  const Outcome outcome =
      place.live(4, {"calibrate", "live.json", "--out", "measured.json", "--rounds", "3"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "round 3 of 3"));
  CHECK(
      contains(place.live(4, {"calibrate", "live.json", "--out", "none.json", "--rounds", "0"}).err,
               "--rounds: must be from 1 to 1024, got 0"));
  CHECK(place.motley({"validate", "measured.json"}).exit_code == 0);
  std::set<std::string> kinds;
  for (const auto& row : rows_of(read_file(place.path() / "measured.csv")))
    kinds.insert(row.at("what"));
  CHECK(kinds == std::set<std::string>{"down", "incast", "outcast", "ring", "up"});
}

TEST_CASE("without a scenario a calibration writes a cluster with a class for each rank") {
  const LivePlace place;
  mpirun();
  const Outcome outcome = place.live(3, {"calibrate", "--out", "cluster.json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "Computing, rank_1: 1: "));
  CHECK(contains(outcome.err, "measuring gradients of rank 1\n"));
  const Json written = Json::parse(read_file(place.path() / "cluster.json"));
  CHECK(written.size() == 2);
  CHECK(written["network"] == "fluid");
  CHECK(written["cluster"]["workers"].size() == 2);
  // It can take the place of another scenario's cluster.
  const Outcome valid =
      place.motley({"validate", "live.json", "--set", "/cluster=" + written["cluster"].dump()});
  INFO(valid.err);
  CHECK(valid.exit_code == 0);
  std::set<std::string> kinds;
  for (const auto& row : rows_of(read_file(place.path() / "cluster.csv")))
    kinds.insert(row.at("what"));
  CHECK(kinds == std::set<std::string>{"down", "gradient", "incast", "outcast", "ring", "up"});
}

TEST_CASE("compressed gradients learn for real what they learn in a simulation") {
  const LivePlace place;
  mpirun();
  const std::vector<std::string> changes = {"--set", R"(/algorithms=[
        {"name": "sync", "label": "bits", "compress": {"kind": "quantize", "bits": 8}},
        {"name": "sync", "label": "signs", "compress": {"kind": "sign"}},
        {"name": "sync", "label": "largest", "compress": {"kind": "top_k", "share": 0.2}}])"};
  std::vector<std::string> words = {"live", "live.json", "--out", "live"};
  words.insert(words.end(), changes.begin(), changes.end());
  const Outcome live = place.live(4, words);
  INFO(live.err);
  REQUIRE(live.exit_code == 0);
  words = {"run", "live.json", "--out", "out", "--no-whatif"};
  words.insert(words.end(), changes.begin(), changes.end());
  REQUIRE(place.motley(words).exit_code == 0);
  const Rows curves = rows_of(place.result("curves.csv"));
  const Rows live_curves = rows_of(read_file(place.path() / "live" / "curves.csv"));
  for (const char* run : {"bits-0", "signs-0", "largest-0"}) {
    INFO(run);
    CHECK(learnt(curves, run).size() == 4);
    CHECK(learnt(live_curves, run) == learnt(curves, run));
  }
  CHECK(learnt(curves, "bits-0") != learnt(curves, "signs-0"));
}

}  // namespace motley
