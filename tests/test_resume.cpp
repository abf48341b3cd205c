// Nothing that is finished is ever lost: interrupts, kills, a full disk, several processes at once.
#include <csignal>
#include <filesystem>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "sim/base/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;
using tests::lines_of;
using tests::Outcome;
using tests::read_file;
using tests::rows_of;
using tests::RunningProgram;
using tests::TemporaryFolder;
using tests::without_wall_time;

/// Runs of 20 updates that take no time, then runs that never end.
const std::string endless = R"({
  "name": "endless",
  "model": {"kind": "quadratic", "dimension": 4},
  "cluster": {"workers": [{"name": "w", "count": 2, "speed": "1Gf"}], "server": {"speed": "1Gf"},
              "link": {"bandwidth": "1Gbps", "latency": "10us"}},
  "stop": {"updates": 20},
  "evaluate": {"every": 5},
  "defaults": {"batch_size": 1, "step_size": 0.01},
  "algorithms": [{"name": "sync"}, {"name": "async"}],
  "sweep": {"/stop/updates": [20, 1000000000000]}
})";
/// In their place, runs that end: the first half of this sweep is the first half of the above.
const std::vector<std::string> finite = {"--set", R"(/sweep={"/stop/updates": [20, 30]})"};

class Workplace : public TemporaryFolder {
 public:
  Workplace() { write("s.json", endless); }

  static std::vector<std::string> command(const std::vector<std::string>& more,
                                          const std::string& out = "out") {
    std::vector<std::string> arguments = {"run", "s.json", "--out", out, "--jobs", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  RunningProgram start(
      const std::vector<std::string>& more = {},
      const std::function<void()>& prepare = [] {}) const {
    return {MOTLEY_BINARY, command(more), path(), prepare};
  }
  Outcome run(const std::vector<std::string>& more, const std::string& out = "out") const {
    return tests::run_motley(command(more, out), path());
  }
  std::string result(const std::string& name, const std::string& out = "out") const {
    return read_file(path() / out / name);
  }
  std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path() / folder)) {
      found.push_back(entry.path().filename().string());
    }
    return found;
  }
  /// The results of a run of `finite` that nothing has disturbed.
  void check_finished() const {
    const Outcome plain = run(finite, "undisturbed");
    REQUIRE(plain.exit_code == 0);
    for (const char* name : {"curves.csv", "workers.csv", "scenario.json", "plan.json"}) {
      INFO(name);
      CHECK(result(name) == result(name, "undisturbed"));
    }
    CHECK(without_wall_time(result("runs.csv")) ==
          without_wall_time(result("runs.csv", "undisturbed")));
    CHECK(names("out/runs").size() == names("undisturbed/runs").size());
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The first child of a process that is not `other`, waited for.
pid_t child_of(pid_t parent, pid_t other = -1) {
  for (;;) {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream stat(entry.path() / "stat");
      std::string text;
      if (!std::getline(stat, text)) continue;  // it has ended meanwhile
      // "pid (name) state parent ..."
      const std::string after = text.substr(text.rfind(')') + 4);
      const pid_t pid = std::stoi(name);
      if (std::stoi(after) == parent && pid != other) return pid;
    }
    sched_yield();
  }
}

TEST_CASE("an interrupt keeps what is finished, says how to go on, and the rest is done later") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workplace place;
    RunningProgram program = place.start();
    program.wait_for_line("async-0-updates=20");
    program.send(signal);
    const Outcome interrupted = program.wait();  // and its children
    CHECK(interrupted.exit_code == 130);
    CHECK(
        interrupted.err.ends_with("motley: interrupted; 2 of 4 runs are finished and kept; the "
                                  "same command does the rest\n"));
    CHECK(rows_of(place.result("runs.csv")).size() == 2);

    const Outcome rest = place.run(finite);
    CHECK(rest.exit_code == 0);
    CHECK(contains(rest.err, "\n2 of 4 already done\n"));
    CHECK_FALSE(contains(rest.err, "updates=20 "));
    CHECK(contains(rest.err, "/4 sync-0-updates=30 30 updates in "));
    place.check_finished();
  }
}

TEST_CASE("kill -9 of the program ends its children and loses only the run in flight") {
  const Workplace place;
  RunningProgram program = place.start();
  program.wait_for_line("async-0-updates=20");
  child_of(program.pid());
  program.send(SIGKILL);
  CHECK(program.wait().exit_code == 128 + SIGKILL);  // returns when the children have ended, too
  // As if it had been killed while it wrote.
  place.write("out/.runs.csv.1.new", "run,algo");
  place.write("out/runs/.0123.json.1.new", "{");
  const Outcome rest = place.run(finite);
  CHECK(rest.exit_code == 0);
  CHECK(contains(rest.err, "\n2 of 4 already done\n"));
  place.check_finished();
  CHECK_FALSE(fs::exists(place.path() / "out" / ".runs.csv.1.new"));
}

TEST_CASE("a run whose process is killed is tried once more, then reported, then tried again") {
  const Workplace place;
  RunningProgram program = place.start();
  for (const char* run : {"sync-0-updates=1000000000000", "async-0-updates=1000000000000"}) {
    program.wait_for_line(std::string(run[0] == 's' ? "async-0-updates=20" : "failed"));
    const pid_t first = child_of(program.pid());
    kill(first, SIGKILL);
    program.wait_for_line("  " + std::string(run) +
                          " is tried once more: its process died: Killed\n");
    kill(child_of(program.pid(), first), SIGKILL);
  }
  const Outcome outcome = program.wait();
  CHECK(outcome.exit_code == 1);
  const auto rows = rows_of(place.result("runs.csv"));
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].at("status") == "ok");
  CHECK(rows[3].at("status") == "failed");
  CHECK(rows[3].at("reason") == "twice: its process died: Killed");

  RunningProgram again = place.start();
  again.wait_for_line("2 of 4 already done");
  child_of(again.pid());
  again.send(SIGINT);
  CHECK(again.wait().exit_code == 130);
}

/// Every evaluation is a point: the long run's file is some hundred times the short one's.
const std::vector<std::string> large = {"--set", R"(/sweep={"/stop/updates": [20, 20000]})"};

void check_full(const Workplace& place, const Outcome& full, const std::string& error) {
  CHECK(full.exit_code == 1);
  const std::string last = lines_of(full.err).back();
  CHECK(last.starts_with("motley: out/runs/"));
  CHECK(last.ends_with(".json: cannot be written: " + error +
                       "; 2 of 4 runs are finished and kept; the same command does the rest once "
                       "there is room"));
  CHECK(place.names("out/runs").size() == 2);
  CHECK(rows_of(place.result("runs.csv")).size() <= 2);  // complete, perhaps of a moment before
  const Outcome rest = place.run(finite);
  CHECK(rest.exit_code == 0);
  CHECK(contains(rest.err, "\n2 of 4 already done\n"));
  place.check_finished();
}

TEST_CASE("a file that cannot be written is an error that loses nothing finished") {
  const Workplace place;
  RunningProgram program = place.start(large, [] {
    std::signal(SIGXFSZ, SIG_IGN);  // writing beyond the limit fails then, as on a full disk
    const rlimit limit = {50'000, 50'000};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  check_full(place, program.wait(), "File too large");
}

/// A file system of a quarter of a megabyte, where one may be mounted.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& folder) : folder_(folder) {
    fs::create_directory(folder);
    mounted_ = mount("none", folder.c_str(), "tmpfs", 0, "size=256k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount(folder_.c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  fs::path folder_;
  bool mounted_;
};

TEST_CASE("a full disk is an error that loses nothing finished") {
  const Workplace place;
  const SmallDisk disk(place.path() / "out");
  if (!disk.mounted()) {
    WARN("only root can mount a small disk: not tried");
    return;
  }
  check_full(place, place.run(large), "No space left on device");
}

TEST_CASE("running again does nothing, and --fresh does everything") {
  const Workplace place;
  REQUIRE(place.run(finite).exit_code == 0);
  const std::string runs = place.result("runs.csv");
  const Outcome again = place.run(finite);
  CHECK(again.exit_code == 0);
  CHECK(contains(again.err, "\n4 of 4 already done\n"));
  CHECK(place.result("runs.csv") == runs);  // with its wall times

  std::vector<std::string> fresh = finite;
  fresh.push_back("--fresh");
  const Outcome all = place.run(fresh);
  CHECK(all.exit_code == 0);
  CHECK_FALSE(contains(all.err, "already done"));
  place.check_finished();
}

TEST_CASE("--fresh of a shard does its runs again and leaves the others") {
  const Workplace place;
  REQUIRE(place.run(finite).exit_code == 0);
  const std::vector<std::map<std::string, std::string>> before = rows_of(place.result("runs.csv"));
  std::vector<std::string> shard = finite;
  shard.insert(shard.end(), {"--shard", "1/2", "--fresh"});
  const Outcome half = place.run(shard);
  CHECK(half.exit_code == 0);
  CHECK_FALSE(contains(half.err, "already done"));
  const std::vector<std::map<std::string, std::string>> after = rows_of(place.result("runs.csv"));
  REQUIRE(after.size() == 4);
  int same = 0;
  for (std::size_t i = 0; i < 4; ++i) same += after[i].at("wall_s") == before[i].at("wall_s");
  CHECK(same == 2);
}

TEST_CASE("results of another build of the same sources are refused") {
  const Workplace place;
  REQUIRE(place.run(finite).exit_code == 0);
  const std::string file = "out/runs/" + place.names("out/runs").front();
  Json run = *unsealed(Json::parse(read_file(place.path() / file)));
  run["program"]["build"] = "cc -O1";
  place.write(file, sealed(run).dump());
  CHECK(place.run(finite).exit_code == 2);
}

TEST_CASE("results of another version are refused until --fresh") {
  const Workplace place;
  REQUIRE(place.run(finite).exit_code == 0);
  const std::string file = "out/runs/" + place.names("out/runs").front();
  Json run = *unsealed(Json::parse(read_file(place.path() / file)));
  run["program"] = {
      {"version", "0.0.9"}, {"commit", "abc"}, {"sources", "0123"}, {"build", "cc -O1"}};
  place.write(file, run.dump());  // that version knew no checksum
  const Outcome refused = place.run(finite);
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.starts_with("motley: " + file +
                                ": was made by another version of motley, 0.0.9 (abc, cc -O1), "
                                "and this is "));
  CHECK(refused.err.ends_with(
      ": do all runs again with --fresh, or choose another folder with --out\n"));
  CHECK(read_file(place.path() / file) == run.dump());
  std::vector<std::string> fresh = finite;
  fresh.push_back("--fresh");
  CHECK(place.run(fresh).exit_code == 0);
  place.check_finished();
}

TEST_CASE("when an algorithm has changed its own runs are done again and the others stay") {
  const Workplace place;
  REQUIRE(place.run(finite).exit_code == 0);
  std::string outdated;
  std::map<std::string, std::string> others;
  for (const std::string& name : place.names("out/runs")) {
    const std::string file = "out/runs/" + name;
    Json run = *unsealed(Json::parse(read_file(place.path() / file)));
    if (run["description"]["algorithm"]["name"] == "async" && outdated.empty()) {
      run["program"]["algorithm"] = "0123456789ab";
      place.write(file, sealed(run).dump());
      outdated = file;
    } else {
      others[file] = read_file(place.path() / file);
    }
  }
  REQUIRE_FALSE(outdated.empty());
  REQUIRE_FALSE(others.empty());
  const std::string before = read_file(place.path() / outdated);
  const Outcome again = place.run(finite);
  CHECK(again.exit_code == 0);
  CHECK(
      again.err.find("1 run of async was made by another version of that algorithm: done again") !=
      std::string::npos);
  CHECK(read_file(place.path() / outdated) != before);
  for (const auto& [file, text] : others) CHECK(read_file(place.path() / file) == text);
  place.check_finished();
}

/// The finite runs traced, as one command after another would.
std::vector<std::string> traced() {
  std::vector<std::string> more = finite;
  more.push_back("--trace");
  return more;
}

TEST_CASE("a trace that cannot be written costs no finished run") {
  const Workplace place;
  REQUIRE(place.run(finite).exit_code == 0);
  const std::string runs = place.result("runs.csv");
  const std::string trace = "out/traces/sync-0-updates=20.json";
  fs::create_directories(place.path() / trace);  // a folder where the file should go
  const Outcome failed = place.run(traced());
  CHECK(failed.exit_code == 1);
  CHECK(contains(failed.err, "  sync-0-updates=20 has no trace: it failed: "));
  CHECK(contains(failed.err, trace));
  CHECK(contains(failed.err, "; its stored result is kept\n"));
  CHECK(failed.err.ends_with(
      "motley: 1 of 4 runs could not be traced; their stored results are kept\n"));
  place.check_finished();
  CHECK(rows_of(place.result("runs.csv"))[0].at("wall_s") == rows_of(runs)[0].at("wall_s"));

  fs::remove(place.path() / trace);
  CHECK(place.run(traced()).exit_code == 0);
  CHECK(fs::is_regular_file(place.path() / trace));
  place.check_finished();

  fs::remove_all(place.path() / "out/traces");
  place.write("out/traces", "");
  const Outcome refused = place.run(traced());
  CHECK(refused.exit_code == 2);
  CHECK(refused.err == "motley: out/traces: cannot be created: Not a directory\n");
  fs::remove(place.path() / "out/traces");
  place.check_finished();
}

TEST_CASE("a traced run whose process is killed keeps its finished result") {
  const Workplace place;
  const std::vector<std::string> one = {"--set", R"(/sweep={"/stop/updates": [200000]})", "--set",
                                        R"(/algorithms=[{"name": "async"}])"};
  REQUIRE(place.run(one).exit_code == 0);
  const std::string runs = place.result("runs.csv");
  std::vector<std::string> again = one;
  again.push_back("--trace");
  RunningProgram program = place.start(again);
  const pid_t first = child_of(program.pid());
  kill(first, SIGKILL);
  program.wait_for_line("is tried once more: its process died: Killed\n");
  kill(child_of(program.pid(), first), SIGKILL);
  const Outcome outcome = program.wait();
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.err, "twice: its process died: Killed; its stored result is kept\n"));
  CHECK(place.result("runs.csv") == runs);
}

TEST_CASE("a results folder that is removed meanwhile is not called kept") {
  const Workplace place;
  RunningProgram program =
      place.start({"--set", R"(/sweep={"/stop/updates": [20, 300000, 400000]})"});
  program.wait_for_line("async-0-updates=20");
  fs::remove_all(place.path() / "out");
  const Outcome outcome = program.wait();
  CHECK(outcome.exit_code == 1);
  CHECK(
      outcome.err.ends_with(": cannot be written: No such file or directory; 0 of 6 runs are "
                            "finished and kept; the folder "
                            "has been removed; the same command makes it anew\n"));
}

TEST_CASE("two processes in one folder share the work and do not disturb each other") {
  const Workplace place;
  RunningProgram first = place.start(finite);
  RunningProgram second = place.start(finite);
  CHECK(second.wait().exit_code == 0);
  CHECK(first.wait().exit_code == 0);
  place.check_finished();
}

TEST_CASE("while a process is at work its folder is not for another scenario, nor for --fresh") {
  const Workplace place;
  RunningProgram program = place.start();
  program.wait_for_line("async-0-updates=20");
  const Outcome other = place.run(finite);
  CHECK(other.exit_code == 2);
  CHECK(other.err ==
        "motley: out: another process is at work there on another scenario; choose another folder "
        "with --out\n");
  const Outcome fresh = place.run({"--fresh"});
  CHECK(fresh.exit_code == 2);
  CHECK(fresh.err ==
        "motley: --fresh: another process is at work in out; stop it first, or choose another "
        "folder with --out\n");
  // A second process of the same scenario takes over when the first one dies.
  RunningProgram heir = place.start();
  heir.wait_for_line("2 of 4 already done");
  const pid_t its_own = child_of(heir.pid());  // the fourth run: the third is claimed
  program.send(SIGKILL);
  program.wait();
  kill(its_own, SIGKILL);
  heir.wait_for_line("async-0-updates=1000000000000 is tried once more");
  kill(child_of(heir.pid(), its_own), SIGKILL);
  heir.wait_for_line("async-0-updates=1000000000000 failed");
  const pid_t inherited = child_of(heir.pid());
  kill(inherited, SIGKILL);
  heir.wait_for_line("sync-0-updates=1000000000000 is tried once more");
  heir.send(SIGINT);
  CHECK(heir.wait().exit_code == 130);
}

TEST_CASE("shards merged are the results of one run") {
  const Workplace place;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    std::vector<std::string> more = finite;
    more.insert(more.end(), {"--shard", shard});
    const Outcome outcome = place.run(more, std::string("shard") + shard[0]);
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.err, "\nshard " + std::string(shard) + ": "));
  }
  const auto merge = [&](const std::vector<std::string>& folders) {
    std::vector<std::string> arguments = {"merge"};
    arguments.insert(arguments.end(), folders.begin(), folders.end());
    arguments.insert(arguments.end(), {"--out", "out"});
    return tests::run_motley(arguments, place.path());
  };
  const Outcome part = merge({"shard1", "shard3"});
  CHECK(part.exit_code == 1);
  CHECK(contains(part.err, "to do it: motley run out/scenario.json --out out\n"));
  const Outcome all = merge({"shard1", "shard2", "shard3"});
  CHECK(all.exit_code == 0);
  CHECK(contains(all.out, "4 of 4 runs\nResults: out\n\nWhat decides ("));
  place.check_finished();

  REQUIRE(place.run({"--set", "/sweep={}", "--quiet"}, "other").exit_code == 0);
  CHECK(merge({"shard1", "other"}).err ==
        "motley: other: holds the runs of another scenario than shard1\n");
  CHECK(merge({"nowhere"}).err ==
        "motley: nowhere: is not a results folder: it has no plan.json\n");
}

TEST_CASE("plan lists more than a screenful of runs only when asked to") {
  const Workplace place;
  const std::vector<std::string> many = {
      "plan", "s.json", "--set",
      R"(/sweep={"/stop/updates": {"from": 1, "to": 30, "steps": 30, "scale": "linear"}})"};
  const Outcome counted = tests::run_motley(many, place.path());
  CHECK(counted.exit_code == 0);
  CHECK(counted.out.starts_with("More than a screenful of runs; --list shows each.\n60 missing, "));
  std::vector<std::string> all = many;
  all.push_back("--list");
  CHECK(lines_of(tests::run_motley(all, place.path()).out).size() == 1 + 60 + 1 + 1);
}

TEST_CASE("plan lists the runs and what is done, and touches nothing") {
  const Workplace place;
  const auto plan = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"plan", "s.json", "--out", "out"});
    more.insert(more.end(), finite.begin(), finite.end());
    const Outcome outcome = tests::run_motley(more, place.path());
    CHECK(outcome.exit_code == 0);
    return lines_of(outcome.out);
  };
  const std::vector<std::string> before = plan({});
  REQUIRE(before.size() == 7);
  CHECK(before[0] == "run                 state                time  file");
  CHECK(before[1].starts_with("sync-0-updates=20   missing "));
  CHECK(before[6].starts_with("4 missing, at most "));
  CHECK_FALSE(fs::exists(place.path() / "out"));
  REQUIRE(place.run({"--set", R"(/sweep={"/stop/updates": [20]})"}).exit_code == 0);
  const std::vector<std::string> after = plan({});
  CHECK(after[1].starts_with("sync-0-updates=20   done "));
  CHECK(after[4].starts_with("async-0-updates=30  missing "));
  CHECK(after[6].starts_with("2 done, 2 missing, at most "));
  CHECK(plan({"--shard", "1/4"}).size() == 4);
}

}  // namespace
}  // namespace motley
