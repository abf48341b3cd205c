// However a live run ends, it ends everywhere, and what was measured is kept.

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <unistd.h>

#include "sim/live/log_file.hpp"
#include "tests/live.hpp"

namespace motley {
namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

/// The processes of a rank of the live run in this folder: itself, who says its last words when it cannot, and of the
/// first rank the guardian, and who evaluates models after the run.
std::vector<pid_t> processes_of(const fs::path& folder, int rank) {
  std::vector<pid_t> found;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    std::error_code error;
    if (fs::read_symlink(process.path() / "cwd", error) != folder || error) continue;
    // A process may end between the look at its folder and the look at its words.
    std::ifstream words(process.path() / "environ", std::ios::binary);
    const std::string environment(std::istreambuf_iterator<char>(words), {});
    const std::string own = std::string(1, '\0') + "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    if (contains(environment, own + std::string(1, '\0'))) {
      found.push_back(static_cast<pid_t>(std::stol(process.path().filename().string())));
    }
  }
  return found;
}

/// The one that MPI knows: the others are in sessions of their own.
pid_t process_of(const fs::path& folder, int rank) {
  for (const pid_t process : processes_of(folder, rank)) {
    if (getsid(process) != process) return process;
  }
  throw std::runtime_error("there is no rank " + std::to_string(rank));
}

bool evaluates(const fs::path& folder) {
  return processes_of(folder, 0).size() > 3;
}

const std::vector<std::string> a_minute = {"--set", "/stop={\"time\": \"60s\"}"};

/// A run of async, of a minute unless told otherwise, that somebody ends before; or another command.
struct LongRun {
  explicit LongRun(const std::vector<std::string>& more = a_minute,
                   const Environment& environment = {})
      : LongRun("live", words_with(more), environment) {}
  LongRun(const char* command, const std::vector<std::string>& words,
          const Environment& environment)
      : program(mpirun(), all_words(command, words), place.path(), [&] {
          for (const Environment& each : {mpi_environment(), environment}) {
            for (const auto& [name, value] : each) setenv(name.c_str(), value.c_str(), 1);
          }
        }) {}

  static std::vector<std::string> words_with(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"live.json", "--out", "live", "--algorithm", "async"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::vector<std::string> all_words(const char* command, std::vector<std::string> words) {
    words.insert(words.begin(), command);
    return LivePlace::words(4, words);
  }

  /// Whether a process of this run still is.
  bool is_anybody_left() const {
    for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
      std::error_code error;
      if (fs::read_symlink(process.path() / "cwd", error) == place.path() && !error) return true;
    }
    return false;
  }

  LivePlace place;
  tests::RunningProgram program;

  /// What was measured is written by a process that outlives the job and then ends: false when that has not happened
  /// within half a minute.
  bool has_written(const std::string& status = "failed") const {
    return becomes_true([&] {
      const fs::path runs = place.path() / "live" / "runs.csv";
      return fs::exists(runs) && contains(read_file(runs), status) && !is_anybody_left();
    });
  }
  fs::path notes() const { return place.path() / "live" / "unfinished"; }
  /// What a rank has noted of the present run so far.
  RunLog notes_of(int rank) const {
    const std::string name = "rank-" + std::to_string(rank) + ".log";
    std::error_code error;
    for (const fs::directory_entry& run : fs::directory_iterator(notes(), error)) {
      if (fs::exists(run.path() / name)) return LogFile::read(run.path() / name);
    }
    return {};
  }
  static bool becomes_true(const std::function<bool()>& condition) {
    for (int tenths = 0; tenths < 300; ++tenths) {
      if (condition()) return true;
      usleep(100'000);
    }
    return false;
  }
  Rows rows(const std::string& file) const {
    return rows_of(read_file(place.path() / "live" / file));
  }
};

}  // namespace

TEST_CASE("a rank that is killed ends the run, every rank says so, and what was measured is kept") {
  // By TCP they may spend the second that mpirun leaves them inside MPI, which has met the end of a connection.
  for (const Environment& way : {Environment{}, Environment{{"OMPI_MCA_btl", "tcp,self"}}}) {
    for (const auto& [rank, name] : {std::pair(1, "gpu-1"), std::pair(3, "server")}) {
      LongRun run(a_minute, way);
      run.program.wait_for_line("has begun");
      kill(process_of(run.place.path(), rank), SIGKILL);
      const Outcome outcome = run.program.wait();
      CAPTURE(way.size(), rank, outcome.err);
      CHECK(outcome.exit_code != 0);
      const std::string number = std::to_string(rank);
      CHECK(contains(outcome.err, "rank " + number + ": the run is over: " + name + " (rank " +
                                      number + ") has ended without a word"));
      for (int other = 0; other < 4; ++other) {
        CHECK(contains(outcome.err, "rank " + std::to_string(other) + ": the run is over: "));
      }
      REQUIRE(run.has_written());
      CHECK(contains(run.rows("runs.csv").front().at("reason"), name));
      CHECK_FALSE(fs::exists(run.notes()));
    }
  }
}

TEST_CASE("a rank that falls silent ends the run everywhere, and what was measured is kept") {
  // Another one writes, in a folder that the silent one still has open.
  LongRun run;
  run.program.wait_for_line("has begun");
  kill(process_of(run.place.path(), 0), SIGSTOP);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  for (const char* other : {"rank 1", "rank 2", "rank 3"}) {
    CHECK(contains(outcome.err,
                   std::string(other) + ": the run is over: gpu-0 (rank 0) has not been heard of"));
  }
  CHECK(run.has_written());
  CHECK(fs::exists(run.place.path() / "live" / "limits.csv"));
}

TEST_CASE("a rank of a calibration that falls silent ends it, and the others say so") {
  LongRun run("calibrate", {"live.json", "--out", "measured.json", "--rounds", "1000"}, {});
  run.program.wait_for_line("round 2 of");
  kill(process_of(run.place.path(), 2), SIGSTOP);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  CHECK(contains(outcome.err, "rank 0: the calibration is over: rank 2 has not been heard of"));
  CHECK(contains(outcome.err, "rank 3: the calibration is over: rank 2 has not been heard of"));
}

TEST_CASE("a rank of a calibration that is killed ends it, and every rank says so") {
  LongRun run("calibrate", {"live.json", "--out", "measured.json", "--rounds", "1000"},
              {{"OMPI_MCA_btl", "tcp,self"}});
  run.program.wait_for_line("round 2 of");
  kill(process_of(run.place.path(), 2), SIGKILL);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(contains(outcome.err, "rank " + std::to_string(rank) + ": the calibration is over: "));
  }
  CHECK_FALSE(fs::exists(run.place.path() / "measured.json"));
}

TEST_CASE("what a server had done before it was killed is kept") {
  LongRun run;
  run.program.wait_for_line("has begun");
  // Its notes have a model that was kept after the first: it has made updates.
  REQUIRE(LongRun::becomes_true([&] { return run.notes_of(3).models.size() > 1; }));
  kill(process_of(run.place.path(), 3), SIGKILL);
  run.program.wait();
  REQUIRE(run.has_written());
  CHECK(std::stoi(run.rows("runs.csv").front().at("updates")) > 4);
  CHECK(run.rows("curves.csv").size() > 2);  // more than the initial model and the last
  CHECK_FALSE(fs::exists(run.notes()));
}

TEST_CASE("when the whole job is killed at once, what was measured is kept") {
  LongRun run;
  run.program.wait_for_line("has begun");
  REQUIRE(LongRun::becomes_true([&] { return run.notes_of(3).models.size() > 1; }));
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 4; ++rank) ranks.push_back(process_of(run.place.path(), rank));
  run.program.send(SIGSTOP);  // mpirun is not to kill anybody first
  for (const pid_t rank : ranks) kill(rank, SIGSTOP);
  for (const pid_t rank : ranks) kill(rank, SIGKILL);
  run.program.send(SIGKILL);
  run.program.wait();
  REQUIRE(run.has_written());
  const auto row = run.rows("runs.csv").front();
  CHECK(contains(row.at("reason"), "the job was killed"));
  CHECK(std::stoi(row.at("updates")) > 4);
  CHECK(std::stod(row.at("virtual_s")) > 0);
  CHECK(run.rows("curves.csv").size() > 2);
  CHECK_FALSE(fs::exists(run.notes()));
}

TEST_CASE("a job that is killed between two runs loses neither, and mixes them up nowhere") {
  LongRun run({"--algorithm", "sync", "--set", "/stop={\"updates\": 40}", "--set",
               "/evaluate/every=1", "--set", "/data/test=200000", "--set", "/data/features=100"});
  run.program.wait_for_line("sync-0 has begun");
  // Sync's models are evaluated, which takes a second or more: all ranks wait for that, and async has not begun.
  REQUIRE(LongRun::becomes_true([&] { return evaluates(run.place.path()); }));
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 4; ++rank) ranks.push_back(process_of(run.place.path(), rank));
  run.program.send(SIGKILL);
  for (const pid_t rank : ranks) kill(rank, SIGKILL);
  run.program.wait();
  REQUIRE(run.has_written(",ok,"));
  const Rows rows = run.rows("runs.csv");
  CHECK(rows.size() == 1);
  CHECK(rows.front().at("algorithm") == "sync");
  CHECK(rows.front().at("updates") == "40");
  CHECK_FALSE(fs::exists(run.notes()));
}

TEST_CASE("a second interrupt, which kills at once, loses nothing") {
  LongRun run;
  run.program.wait_for_line("has begun");
  run.program.send(SIGINT);
  run.program.wait_for_line("the run is over");
  run.program.send(SIGINT);
  CHECK(run.program.wait().exit_code != 0);
  CHECK(run.has_written());
}

TEST_CASE("a rank that is killed while models are evaluated loses nothing") {
  // 400 models, and ten thousand samples to evaluate each with.
  LongRun run({"--set", "/stop={\"updates\": 400}", "--set", "/evaluate/every=1", "--set",
               "/data/test=10000", "--set", "/data/features=100"});
  run.program.wait_for_line("has begun");
  REQUIRE(LongRun::becomes_true([&] { return evaluates(run.place.path()); }));
  kill(process_of(run.place.path(), 0), SIGKILL);
  CHECK(run.program.wait().exit_code != 0);
  CHECK(run.has_written(",ok,"));
  CHECK(run.rows("curves.csv").size() == 401);
}

TEST_CASE("who ends because another rank was interrupted has not ended without a word") {
  LongRun run({"--set", "/stop={\"updates\": 400}", "--set", "/evaluate/every=1", "--set",
               "/data/test=10000", "--set", "/data/features=100"});
  run.program.wait_for_line("has begun");
  REQUIRE(LongRun::becomes_true([&] { return evaluates(run.place.path()); }));
  kill(process_of(run.place.path(), 2), SIGTERM);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  for (int rank = 0; rank < 4; ++rank) {
    const std::string who = "rank " + std::to_string(rank);
    CHECK(contains(outcome.err, who + ": the job is over: interrupted by SIGTERM"));
  }
  CHECK(contains(outcome.err, "the models of async-0 are still evaluated"));
  CHECK_FALSE(contains(outcome.err, "without a word"));
  CHECK(run.has_written(",ok,"));
  CHECK(fs::exists(run.place.path() / "live" / "limits.csv"));
  CHECK(run.rows("curves.csv").size() == 401);
}

TEST_CASE("a rank that is killed before the run has begun ends the job, and every rank says so") {
  // Making so much data takes a second or more.
  LongRun run({"--set", "/data/train=300000", "--set", "/data/features=200"});
  REQUIRE(LongRun::becomes_true([&] {
    for (int rank = 0; rank < 4; ++rank) {
      if (processes_of(run.place.path(), rank).size() < 2) return false;
    }
    return true;
  }));
  kill(process_of(run.place.path(), 2), SIGKILL);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  for (int rank = 0; rank < 4; ++rank) {
    const std::string who = "rank " + std::to_string(rank);
    CHECK(contains(outcome.err, who + ": the job is over before its run has begun: "));
  }
  CHECK(contains(outcome.err, "rank 2 has ended without a word"));
  CHECK_FALSE(fs::exists(run.place.path() / "live" / "runs.csv"));
}

TEST_CASE("a run whose results cannot be written ends everywhere and says so") {
  LongRun run({"--algorithm", "sync", "--set", "/stop={\"time\": \"2s\"}"});
  run.program.wait_for_line("has begun");
  const fs::path runs = run.place.path() / "live" / "runs";
  fs::rename(runs, run.place.path() / "live" / "elsewhere");
  run.place.write("live/runs", "a file where a folder was");
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code == 1);
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(contains(outcome.err,
                   "rank " + std::to_string(rank) +
                       ": the run is over: the results of sync-0 could not be written\n"));
  }
  CHECK_FALSE(contains(outcome.err, "the job was killed"));
  CHECK(LongRun::becomes_true([&] { return !run.is_anybody_left(); }));
  CHECK_FALSE(fs::exists(run.notes()));
}

TEST_CASE("a results folder that is removed during the run is made again") {
  LongRun run({"--set", "/stop={\"time\": \"2s\"}"});
  run.program.wait_for_line("has begun");
  fs::remove_all(run.place.path() / "live");
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(run.rows("runs.csv").front().at("status") == "ok");
  CHECK(run.rows("curves.csv").size() > 2);
  CHECK_FALSE(fs::exists(run.notes()));
}

TEST_CASE("an interrupted live run ends at once, and what was measured is kept") {
  LongRun run;
  run.program.wait_for_line("has begun");
  run.program.send(SIGINT);
  const Outcome outcome = run.program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code != 0);
  CHECK(contains(outcome.err, "rank 0: the run is over: interrupted by "));
  CHECK(run.has_written());
}

}  // namespace motley
