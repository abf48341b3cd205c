// The same algorithm files for real, by MPI: what must be as in a simulation, whatever the clock says.

#include <map>
#include <set>

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
}

TEST_CASE("where workers keep their own models the curve goes on to the end of the run") {
  const LivePlace place;
  mpirun();
  // The slow one makes an update where the others make eight, so it has none for most of the points.
  const std::vector<std::string> changes = {"--set", R"(/algorithms=[{"name": "ad_psgd"}])",
                                            "--set", "/stop={\"time\": \"2s\"}",
                                            "--set", "/evaluate/every=100ms",
                                            "--set", "/cluster/workers/1/samples_per_s=32"};
  std::vector<std::string> words = {"live", "live.json", "--out", "live"};
  words.insert(words.end(), changes.begin(), changes.end());
  const Outcome live = place.live(3, words);
  INFO(live.err);
  REQUIRE(live.exit_code == 0);
  const Rows curve = rows_of(read_file(place.path() / "live" / "curves.csv"));
  CHECK(curve.size() > 10);
  CHECK(curve.back().at("time_s") == "2");
}

TEST_CASE("what cannot be live is refused before anything starts") {
  const LivePlace place;
  mpirun();
  const auto refusal = [&](int ranks, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"live", "live.json", "--out", "live"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = place.live(ranks, words);
    CHECK(outcome.exit_code == 2);
    CHECK_FALSE(place.has("live"));
    return lines_of(outcome.err).front();
  };
  CHECK(contains(refusal(3, {}), "the run needs 4 ranks, 3 workers and 1 server, and there are 3"));
  CHECK(contains(refusal(4, {"--set", R"(/cluster/failures={"detect_after": "1s"})"}),
                 "/cluster/failures: in a live run nobody fails on purpose"));
  CHECK(contains(refusal(4, {"--algorithm", "synk"}), "did you mean 'sync'?"));
  CHECK(contains(refusal(4, {"--set", "/defaults/overlap=layers"}),
                 "overlap: a live run sends whole models and gradients"));
  CHECK(contains(
      refusal(4, {"--set", R"(/algorithms=[{"name": "daso"}])", "--set",
                  R"(/cluster/workers=[{"name": "w", "count": 4, "per_node": 2, "speed": "1Gf",
                     "inside": {"bandwidth": "10Gbps", "latency": "1us"}}])"}),
      "daso: it averages between nodes by messages of its own"));
}

namespace {

/// The process of a rank of the live run in this folder.
pid_t process_of(const fs::path& folder, int rank) {
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    std::error_code error;
    if (fs::read_symlink(process.path() / "cwd", error) != folder || error) continue;
    const std::string environment = read_file(process.path() / "environ");
    const std::string own = std::string(1, '\0') + "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    if (contains(environment, own + std::string(1, '\0'))) {
      return static_cast<pid_t>(std::stol(process.path().filename().string()));
    }
  }
  throw std::runtime_error("there is no rank " + std::to_string(rank));
}

/// A run of a minute that somebody ends before.
struct LongRun {
  /// Whether a process of this run still is.
  bool is_anybody_left() const {
    for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
      std::error_code error;
      if (fs::read_symlink(process.path() / "cwd", error) == place.path() && !error) return true;
    }
    return false;
  }

  LivePlace place;
  tests::RunningProgram program{
      mpirun(),
      LivePlace::words(4, {"live", "live.json", "--out", "live", "--algorithm", "async", "--set",
                           "/stop={\"time\": \"60s\"}"}),
      place.path(), [] {
        for (const auto& [name, value] : mpi_environment()) {
          setenv(name.c_str(), value.c_str(), 1);
        }
      }};

  /// What was measured is written by a process that outlives the job and then ends: false when that has not happened
  /// within half a minute.
  bool has_written() const {
    for (int tenths = 0; tenths < 300; ++tenths) {
      const fs::path runs = place.path() / "live" / "runs.csv";
      const bool is_there = fs::exists(runs) && contains(read_file(runs), "failed");
      if (is_there && !is_anybody_left()) return true;
      usleep(100'000);
    }
    return false;
  }
};

}  // namespace

TEST_CASE(
    "a rank that is killed or falls silent ends the run everywhere, and what was measured is "
    "kept") {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    LongRun run;
    run.program.wait_for_line("has begun");
    kill(process_of(run.place.path(), 1), signal);
    const Outcome outcome = run.program.wait();
    CAPTURE(signal, outcome.err);
    CHECK(outcome.exit_code != 0);
    CHECK(contains(outcome.err, "rank 2: the run is over: "));
    // Whoever mpirun kills may have no time to say so.
    if (signal == SIGSTOP) CHECK(contains(outcome.err, "rank 0: the run is over: "));
    CHECK(run.has_written());
    CHECK(fs::exists(run.place.path() / "live" / "limits.csv"));
  }
}

TEST_CASE("an interrupted live run ends at once, and what was measured is kept") {
  LongRun run;
  run.program.wait_for_line("has begun");
  run.program.send(SIGINT);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  CHECK(contains(outcome.err, "rank 0: the run is over: the run was interrupted by "));
  CHECK(run.has_written());
}

TEST_CASE("a calibrated scenario can be run") {
  const LivePlace place;
  mpirun();
  const Outcome outcome = place.live(4, {"calibrate", "live.json", "--out", "measured.json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(place.motley({"validate", "measured.json"}).exit_code == 0);
  std::set<std::string> kinds;
  for (const auto& row : rows_of(read_file(place.path() / "measured.csv")))
    kinds.insert(row.at("what"));
  CHECK(kinds == std::set<std::string>{"down", "incast", "outcast", "ring", "up"});
}

}  // namespace motley
