// What surrounds the program does not give what it needs: standard output, descriptors, processes,
// short names, folders without traps.
#include <cmath>
#include <grp.h>
#include <set>
#include <sys/resource.h>

#include "sim/base/machine_memory.hpp"
#include "sim/results/finite_result.hpp"
#include "sim/results/link_use.hpp"
#include "sim/results/statistics/comparison.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

using tests::RunningProgram;

/// The program with its output where the shell's `redirection` says.
Outcome in_shell(const Workplace& place, const std::string& arguments,
                 const std::string& redirection) {
  return tests::run_program(
      "/bin/sh", {"-c", "exec '" MOTLEY_BINARY "' " + arguments + " " + redirection}, place.path());
}

const std::string unwritten =
    "motley: standard output cannot be written: it is closed, or its disk is full\n";

TEST_CASE("a standard output that is full or closed is an error") {
  const Workplace place;
  for (const char* where : {">/dev/full", ">&-"}) {
    CAPTURE(where);
    for (const char* command :
         {"algorithms", "--version", "--help", "schema", "validate s.json", "plan s.json"}) {
      CAPTURE(command);
      const Outcome outcome = in_shell(place, command, where);
      CHECK(outcome.exit_code == 1);
      CHECK(outcome.err == unwritten);
    }
    CHECK(in_shell(place, "validate nothing.json", where).exit_code == 2);
  }
}

TEST_CASE("with standard output closed the results are whole, and the table is in none of them") {
  const Workplace place;
  for (const char* closed : {">&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    CAPTURE(closed);
    fs::remove_all(place.path() / "out");
    const Outcome outcome = in_shell(place, "run s.json --quiet --out out", closed);
    CHECK(outcome.exit_code == 1);
    CHECK(fs::file_size(place.path() / "out/.lock") == 0);
    CHECK(rows_of(place.result("runs.csv")).size() == 2);
    for (const auto& file : fs::directory_iterator(place.path() / "out")) {
      if (file.is_regular_file()) CHECK_FALSE(contains(read_file(file), "Where the time went"));
    }
  }
  CHECK(place.run().exit_code == 0);
}

/// Twelve runs at once, if the system lets them.
const std::vector<std::string> twelve = {"run",         "s.json", "--out", "out",       "--set",
                                         "/replicas=6", "--jobs", "12",    "--threads", "1"};

TEST_CASE("too few descriptors mean fewer runs at once, said once") {
  const Workplace place;
  RunningProgram program(MOTLEY_BINARY, twelve, place.path(), [] {
    const rlimit limit = {24, 24};
    setrlimit(RLIMIT_NOFILE, &limit);
  });
  const Outcome outcome = program.wait();
  CHECK(outcome.exit_code == 0);
  const std::string said = " at once: Too many open files\n";
  const std::size_t first = outcome.err.find(said);
  REQUIRE(first != std::string::npos);
  CHECK(outcome.err.find(said, first + 1) == std::string::npos);
  CHECK(rows_of(place.result("runs.csv")).size() == 12);
}

TEST_CASE("too few processes mean fewer runs at once, and fewer threads") {
  if (getuid() != 0) {
    WARN("only root can become a user without processes: not tried");
    return;
  }
  const Workplace place;
  fs::permissions(place.path(), fs::perms::all);
  for (const char* threads : {"1", "8"}) {
    CAPTURE(threads);
    fs::remove_all(place.path() / "out");
    std::vector<std::string> arguments = twelve;
    arguments.back() = threads;
    RunningProgram program(MOTLEY_BINARY, arguments, place.path(), [] {
      constexpr uid_t nobodys = 54321;  // has no other process
      const rlimit limit = {4, 4};
      const bool ready = setgroups(0, nullptr) == 0 && setgid(nobodys) == 0 &&
                         setrlimit(RLIMIT_NPROC, &limit) == 0 && setuid(nobodys) == 0;
      if (!ready) _exit(126);
    });
    const Outcome outcome = program.wait();
    CAPTURE(outcome.err);
    if (outcome.exit_code == 127) {
      WARN("that user may not run the program where it is: not tried");
      return;
    }
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.err, " at once: Resource temporarily unavailable\n"));
    CHECK(rows_of(place.result("runs.csv")).size() == 12);
  }
}

TEST_CASE("the limit of memory is that of the tightest control group around the process") {
  const TemporaryFolder folder;
  const std::string groups = (folder.path() / "groups").string();
  const std::string root = folder.path().string();
  fs::create_directories(folder.path() / "slurm/job_1/step_0");
  folder.write("groups", "0::/slurm/job_1/step_0\n");
  folder.write("memory.max", "max\n");
  CHECK(control_groups_limit(groups, root) == HUGE_VAL);
  folder.write("slurm/job_1/memory.max", "4000000000\n");
  CHECK(control_groups_limit(groups, root) == 4e9);
  folder.write("slurm/job_1/step_0/memory.max", "max\n");
  CHECK(control_groups_limit(groups, root) == 4e9);
  folder.write("slurm/memory.max", "3000000000\n");
  CHECK(control_groups_limit(groups, root) == 3e9);
  // The first version, with a tree of its own for memory
  fs::create_directories(folder.path() / "memory/slurm/job_1");
  folder.write("memory/slurm/job_1/memory.limit_in_bytes", "2000000000\n");
  folder.write("groups", "5:cpu,cpuacct:/\n4:memory:/slurm/job_1\n");
  CHECK(control_groups_limit(groups, root) == 2e9);
}

TEST_CASE("as many runs are done at once as fit into memory together, and at least one") {
  CHECK(jobs_that_fit(4, 1e9, 8e9) == 4);
  CHECK(jobs_that_fit(4, 3e9, 8e9) == 2);
  CHECK(jobs_that_fit(4, 9e9, 8e9) == 1);
  CHECK(jobs_that_fit(4, 0, 8e9) == 4);
  CHECK(jobs_that_fit(4, 1e9, HUGE_VAL) == 4);
}

TEST_CASE("links that lie in a results folder are not written through") {
  const Workplace place;
  place.write("precious", "precious \"runs\"");  // as in a plan
  fs::create_directories(place.path() / "out/traces");
  for (const char* name : {"out/.writable", "out/runs.csv", "out/events.csv", "out/.events.csv.new",
                           "out/traces/.sync-0.json.new", "out/plan.json"}) {
    fs::create_symlink(place.path() / "precious", place.path() / name);
  }
  CHECK(place.run({"--trace"}).exit_code == 0);
  CHECK(read_file(place.path() / "precious") == "precious \"runs\"");
  CHECK_FALSE(fs::is_symlink(place.path() / "out/runs.csv"));

  fs::remove(place.path() / "out/.lock");
  fs::create_symlink(place.path() / "made", place.path() / "out/.lock");
  const Outcome outcome = place.run();
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "motley: out/.lock: Too many levels of symbolic links\n");
  CHECK_FALSE(place.has("made"));
}

TEST_CASE("Slurm gets no path with a backslash, by which it would mean something else") {
  const Workplace place;
  check_refused(place.motley({"slurm", "s.json", "--tasks", "2", "--out", "a\\b", "--dry-run"}),
                "--out: Slurm takes no quote, no backslash and no line break in a path, got \"" +
                    place.file("a\\\\b") + "\"");
  check_refused(place.motley({"slurm", "s.json", "--tasks", "2", "--out", "a\nb", "--dry-run"}),
                "--out: Slurm takes no quote, no backslash and no line break in a path, got \"" +
                    place.file("a\\nb") + "\"");
}

TEST_CASE("names are short enough for the files that are named by them") {
  const Workplace place;
  const std::string longest(100, 'x');
  const std::string too_long(101, 'x');
  const std::string shown = "\"" + std::string(56, 'x') + "...";
  check_refused(place.run({"--set", "/algorithms/0/label=" + too_long}),
                "s.json: /algorithms/0/label: must have at most 100 characters, got " + shown);
  check_refused(place.run({"--set", "/name=" + too_long}),
                "s.json: /name: must have at most 100 characters, got " + shown);

  // A label, a replica and six axes of a sweep, each with a key and a value of twenty characters.
  const std::string value = "1.0000000000000001";
  const std::string sweep =
      R"({"/cluster/workers/0/speed": [")" + value + R"(Gf"], "/cluster/workers/1/speed": [")" +
      value + R"(Gf"], "/cluster/server/speed": [")" + value +
      R"(Gf"], "/cluster/link/latency": [")" + value + R"(us"], "/cost/flops_per_sample": [")" +
      value + R"(Mf"], "/cost/model_size": [")" + value + R"(MB", "2MB"]})";
  const Outcome outcome = place.run({"--set", "/cost={}", "--set", "/algorithms/0/label=" + longest,
                                     "--set", "/sweep=" + sweep, "--trace", "--jobs", "2"});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 0);
  std::set<std::string> names;
  for (const auto& row : rows_of(place.result("runs.csv"))) names.insert(row.at("run"));
  CHECK(names.size() == 4);
  for (const std::string& name : names) CHECK(place.has("out/traces/" + name + ".json"));

  const Outcome nowhere = place.motley({"merge", std::string(300, 'x'), "--out", "merged"});
  CHECK(nowhere.exit_code == 2);
  CHECK(contains(nowhere.err, ": is not a results folder: it has no plan.json\n"));
}

TEST_CASE("a link without bandwidth is not used, and nothing is divided by it") {
  RunResult result;
  result.virtual_s = 2;
  result.links = {{"dead", 0, 0, 0}, {"alive", 4, 2, 1}};
  const std::vector<LinkUse> uses = link_uses(result);
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].utilisation == 0);
  CHECK(uses[0].max_utilisation == 0);
  CHECK(uses[1].utilisation == 2.0 / (4 * 2));
}

TEST_CASE("a number of a result that is not finite is found by name") {
  RunResult result;
  result.workers.resize(2);
  result.workers[1].name = "w1";
  result.links = {{"server_up", 1, 1, 1}};
  result.curve.resize(1);
  CHECK(first_not_finite(result).empty());
  result.curve[0].train_loss = INFINITY;  // that is diverging, and not for here
  CHECK(first_not_finite(result).empty());
  result.links[0].bandwidth_Bps = 0;
  CHECK(first_not_finite(result) == "what a byte takes on link server_up");
  result.links[0].bandwidth_Bps = 1;
  result.curve[0].time_s = NAN;
  CHECK(first_not_finite(result) == "time_s of the curve");
  result.links[0].bytes = INFINITY;
  CHECK(first_not_finite(result) == "bytes of link server_up");
  result.workers[1].wait_s = -INFINITY;
  CHECK(first_not_finite(result) == "wait_s of worker w1");
  result.virtual_s = INFINITY;
  CHECK(first_not_finite(result) == "virtual_s");
}

TEST_CASE(
    "a run with a number that is not finite has failed, and the rest is compared without it") {
  RunResult good;
  good.algorithm = "sync";
  good.virtual_s = 2;
  good.updates = 3;
  good.final_test_loss = 0.5;
  CHECK(failed_unless_finite(good).status == RunStatus::ok);
  CHECK(failed_unless_finite(good).updates == 3);
  RunResult endless = good;
  endless.virtual_s = INFINITY;
  // As it comes back from the process that made it.
  RunResult failed = run_result_from_json(to_json(failed_unless_finite(endless)));
  CHECK(failed.status == RunStatus::failed);
  CHECK(failed.reason ==
        "virtual_s is not finite: a quantity of the scenario is too large or too small");
  failed.algorithm = "sync";  // the queue names it
  failed.replica = 1;
  const std::vector<RunResult> results = {good, failed};
  const std::vector<ComparisonRow> rows = compare(results, "sync");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].failed == 1);
  CHECK(rows[0].runs.size() == 2);
  CHECK(rows[0].final_loss->value == 0.5);
}

}  // namespace
}  // namespace motley
