// The table at the end, of runs made by hand.
#include <algorithm>
#include <sstream>

#include "sim/base/json.hpp"
#include "sim/cli/tables/summary.hpp"
#include "sim/cli/tables/time_budget.hpp"
#include "sim/results/run_warnings.hpp"
#include "sim/results/statistics/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

Experiment experiment() {
  Json scenario = learning_scenario();
  scenario["target"] = {{"accuracy", 0.5}};
  scenario["algorithms"] = {{{"name", "sync"}}, {{"name", "async"}}, {{"name", "local"}}};
  return experiment_of(scenario);
}

RunResult run_of(const std::string& algorithm, std::uint64_t replica, std::optional<double> time) {
  RunResult run;
  run.run = algorithm + "-" + std::to_string(replica);
  run.algorithm = algorithm;
  run.replica = replica;
  run.virtual_s = 100;
  run.updates = 10 + 2 * replica;
  run.bytes = 1e6;
  run.final_test_accuracy = 0.75;
  run.best_test_accuracy = 0.75;
  run.time_to_target_s = time;
  run.workers.resize(1);
  run.workers[0].compute_s = 50;
  return run;
}

/// With its time known to a hundredth of a second.
RunResult finely_known(RunResult run) {
  if (!run.time_to_target_s) return run;
  run.curve.resize(2);
  run.curve[0].time_s = *run.time_to_target_s - 0.01;
  run.curve[1].time_s = *run.time_to_target_s;
  return run;
}

/// The table's rows, as they are printed.
std::vector<std::string> table_of(const std::vector<std::string>& axes,
                                  const std::vector<RunResult>& results) {
  std::ostringstream out;
  print_summary(out, experiment(), axes, results);
  std::vector<std::string> rows;
  for (const std::string& line : tests::lines_of(out.str())) {
    if (line.find("0.75") == std::string::npos && line.find("  algorithm ") != 0) continue;
    rows.push_back(line);
  }
  return rows;
}

/// All that is printed, runs of spaces as one: how wide columns are is not what is asked.
std::string printed(const std::vector<RunResult>& results) {
  std::ostringstream out;
  print_summary(out, experiment(), {}, results);
  std::string text;
  for (const char c : out.str()) {
    if (c != ' ' || !text.ends_with(' ')) text += c;
  }
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("replicas are shown as mean, interval and how many reached the target") {
  // Two values a and b: the mean m, times and divided by exp(12.7062 |b - a| / 2 / m), which is
  // 1.83136 for 10 and 11 as for 20 and 22. Ratios of async 2 and 2, which is no reason to be sure of
  // it; of local 20/21 and 22/21, whose logarithms have the mean -0.001135 and the standard error
  // 0.047655.
  const std::string text =
      printed({run_of("sync", 0, 20), run_of("sync", 1, 22), run_of("async", 0, 10),
               run_of("async", 1, 11), run_of("local", 0, 21), run_of("local", 1, 21)});
  CAPTURE(text);
  CHECK(contains(text, "\n async 10.50 s [5.73, 19.23] (2/2) ~2.00x 0.75"));
  CHECK(contains(text, "\n sync 21.00 s [11.47, 38.46] (2/2) 1.00x "));
  CHECK(contains(text, "\n local 21.00 s [21.00, 21.00] (2/2) ~1.00x [0.55, 1.83] "));
  CHECK(contains(text, " 0.7500 [0.7500, 0.7500] "));
  CHECK(
      contains(text,
               "\n ~ undecided, after correction for the number of pairs or within the resolution, "
               "though an interval may exclude 1; see comparisons.csv\n"));
  CHECK(contains(text, "95 % confidence intervals"));
}

TEST_CASE("runs that did not reach the target show in the count and take the row down") {
  const std::string text =
      printed({run_of("sync", 0, 20), run_of("sync", 1, 22), run_of("async", 0, 10),
               run_of("async", 1, {}), run_of("local", 0, {}), run_of("local", 1, {})});
  CAPTURE(text);
  const std::size_t sync = text.find("\n sync ");
  // Runs that never arrive did not until they ended at 100 s: ratios 20/10 and 22/100 of async,
  // 20/100 and 22/100 of local. Both are upper bounds; two pairs, corrected for three, decide nothing.
  // What they support is the upper end: of local exp(-1.56178 + 12.7062 x 0.0953102 / 2) = 0.384; of
  // async exp(-0.41050 + 12.7062 x 2.207275 / 2), which is 800,000 and says nothing.
  const std::size_t async = text.find("\n async > 10.00 s (1/2) ~no bound ");
  const std::size_t local = text.find("\n local not reached (0/2) ~< 0.38x ");
  REQUIRE(async != std::string::npos);
  REQUIRE(local != std::string::npos);
  CHECK(sync < async);
  CHECK(async < local);
  CHECK(
      contains(text,
               "\n > and <: at least, at most, as some runs ended before they reached the target; "
               "of a time, the mean of those that did\n"));
}

TEST_CASE("the mean time of those that arrived has no interval where others did not") {
  // Of 20 s each; the two that arrive differ so much that an interval of two would go to 6665 s.
  std::vector<RunResult> results = {run_of("sync", 0, 1.3), run_of("sync", 1, 5.2),
                                    run_of("sync", 2, {})};
  for (RunResult& run : results) {
    run.virtual_s = 20;
    run.time_budget_s = 20;
  }
  CHECK(contains(printed(results), "\n sync > 3.25 s (2/3) 1.00x "));
  const std::vector<ComparisonRow> rows = compare(results, "sync");
  REQUIRE(rows[0].time_to_target_s);
  CHECK(rows[0].time_to_target_s->value == Approx(3.25));
  CHECK_FALSE(rows[0].time_to_target_s->interval);
}

TEST_CASE("an interval that goes beyond the end of the runs is open there") {
  // m = 10.5, and exp(12.7062 x 0.5 / 10.5) = 1.83136: from 5.73 to 19.23.
  std::vector<RunResult> results = {run_of("sync", 0, 10), run_of("sync", 1, 11)};
  for (const double budget_s : {19.0, 20.0}) {
    for (RunResult& run : results) run.time_budget_s = budget_s;
    const std::string text = printed(results);
    CAPTURE(text);
    const bool open = budget_s == 19;
    CHECK(contains(text, open ? "\n sync 10.50 s [5.73, open] (2/2) "
                              : "\n sync 10.50 s [5.73, 19.23] (2/2) "));
    CHECK(contains(text, "\n open: the interval goes beyond the end of the runs") == open);
  }
  // Without a budget, runs that go on after the target say how long they were watched.
  for (RunResult& run : results) {
    run.time_budget_s.reset();
    run.virtual_s = 19;
    run.curve.resize(3);
    run.curve[0].time_s = *run.time_to_target_s;
    run.curve[1].time_s = *run.time_to_target_s;
    run.curve[2].time_s = 19;
  }
  CHECK(contains(printed(results), "\n sync 10.50 s [5.73, open] (2/2) "));
  for (RunResult& run : results) {
    run.curve.resize(1);
    run.virtual_s = *run.time_to_target_s;  // it stopped at the target
  }
  CHECK(contains(printed(results), "\n sync 10.50 s [5.73, 19.23] (2/2) "));
}

TEST_CASE("replicas that arrive together are known no better than evaluations are frequent") {
  // All at 6.71 s, between evaluations 1.2 s apart: a standard deviation of at least 1.2 / sqrt(12),
  // t with two degrees of freedom 4.30265: h = 4.30265 x 0.34641 / sqrt(3) = 0.86053, and
  // exp(0.86053 / 6.71) = 1.13684.
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 3; ++replica) {
    results.push_back(run_of("sync", replica, 6.71));
    results.back().curve.resize(2);
    results.back().curve[0].time_s = 5.6;
    results.back().curve[1].time_s = 6.8;
  }
  CHECK(contains(printed(results), "\n sync 6.71 s [5.90, 7.63] (3/3) "));
  CHECK(*compare(results, "sync")[0].resolution_s == Approx(1.2));
}

TEST_CASE("a baseline that never arrives is beaten by at least so much") {
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 5; ++replica) {
    results.push_back(run_of("sync", replica, {}));
    results.push_back(run_of("async", replica, 24 + static_cast<double>(replica % 2)));
  }
  // 100/24 three times, 100/25 twice: the geometric mean is 4.099; no pair says otherwise. The logarithms
  // differ by 0.040822, so that their deviation is sqrt(0.3) times that, and t with four degrees of
  // freedom 2.77645: the lower end is 4.099 exp(-2.77645 x 0.022359 / sqrt(5)) = 3.987.
  const std::string text = printed(results);
  CAPTURE(text);
  CHECK(contains(text, "\n async 24.40 s [23.73, 25.09] (5/5) > 3.99x "));
  CHECK(contains(text, "\n sync not reached (0/5) - "));
}

TEST_CASE("one run each is shown without intervals or marks, and said to decide nothing") {
  const std::string text = printed({run_of("sync", 0, 20), run_of("async", 0, 19.9)});
  CAPTURE(text);
  CHECK(contains(text, "\n async 19.90 s 1.01x 0.7500 10 "));
  CHECK_FALSE(contains(text, "~"));
  CHECK_FALSE(contains(text, "["));
  const std::string one_replica = "\n one replica: nothing is decided; see replicas\n";
  CHECK(contains(text, one_replica));
  CHECK_FALSE(contains(printed({run_of("sync", 0, 20)}), one_replica));  // nothing to decide
  CHECK_FALSE(contains(printed({run_of("sync", 0, 20), run_of("async", 0, 19.9),
                                run_of("sync", 1, 20), run_of("async", 1, 19.9)}),
                       one_replica));
  CHECK(contains(text, "\nWhere the time went\n"));
}

/// Evaluated every five seconds until it reached the target at `time`.
RunResult evaluated_run_of(const std::string& algorithm, double time) {
  RunResult run = run_of(algorithm, 0, time);
  for (double t = 0; t <= 100; t += 5) {
    run.curve.emplace_back();
    run.curve.back().time_s = t;
  }
  return run;
}

TEST_CASE("algorithms within one evaluation of each other are named, with how long that is") {
  // Sync reached the target between 20 s and 25 s, as async did; local after 25 s, up to 30 s.
  RunResult async = evaluated_run_of("async", 25);
  RunResult sync = evaluated_run_of("sync", 25);
  const RunResult local = evaluated_run_of("local", 30);
  const std::string text = printed({sync, async, local});
  CAPTURE(text);
  CHECK(contains(
      text,
      "\n resolution of time to target: 5.00 s between evaluations (/evaluate/every) or merges; "
      "within it: sync and async\n"));
  CHECK_FALSE(contains(printed({sync, local}), "resolution"));
  // Evaluated at 26 s instead of 25 s, it may have got there before 25 s.
  async.curve[5].time_s = 26;
  async.time_to_target_s = 26;
  CHECK(contains(
      printed({sync, async}),
      "\n resolution of time to target: 6.00 s between evaluations (/evaluate/every) or merges; "
      "within it: sync and async\n"));
}

TEST_CASE("a sweep names the pairs within one evaluation of each other, with their points") {
  std::vector<RunResult> results;
  for (const int point : {1, 2}) {
    for (const char* algorithm : {"sync", "async", "local"}) {
      results.push_back(evaluated_run_of(algorithm, 25));
      results.back().point = {point};
    }
  }
  const auto told = [&results] {
    std::ostringstream out;
    print_summary(out, experiment(), {"/seed"}, results);
    return out.str();
  };
  CHECK(contains(told(),
                 "; within it: sync and async at seed=1, async and local at seed=1, sync and "
                 "async at seed=2, async and local at seed=2\n"));
  for (const int point : {3, 4}) {
    for (const char* algorithm : {"sync", "async", "local"}) {
      results.push_back(evaluated_run_of(algorithm, 25));
      results.back().point = {point};
    }
  }
  CHECK(contains(told(), " async and local at seed=3 and 2 more pairs, see comparisons.csv\n"));
}

TEST_CASE("a sweep has a column per axis and is sorted within its points") {
  std::vector<RunResult> results;
  for (const int ratio : {1, 8}) {
    for (const char* algorithm : {"sync", "async"}) {
      results.push_back(run_of(algorithm, 0, algorithm[0] == 's' ? 5.0 * ratio : 10));
      results.back().point = {ratio, "1Gbps"};
    }
  }
  const std::vector<std::string> rows =
      table_of({"/cluster/workers/0/spread/ratio", "/cluster/link/bandwidth"}, results);
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].starts_with("  algorithm   ratio   bandwidth   time to target   vs sync   "));
  CHECK(rows[1].starts_with("  sync            1       1Gbps           5.00 s     1.00x   "));
  CHECK(rows[2].starts_with("  async           1       1Gbps          10.00 s     0.50x   "));
  CHECK(rows[3].starts_with("  async           8       1Gbps          10.00 s     4.00x   "));
  CHECK(rows[4].starts_with("  sync            8       1Gbps          40.00 s     1.00x   "));
  // Two axes of the same last name are told apart.
  CHECK(table_of({"/a/speed", "/b/speed"}, results)[0].starts_with(
      "  algorithm   /a/speed   /b/speed   "));
}

TEST_CASE("every way in which runs went wrong is told, up to a limit") {
  const auto went_wrong = [](std::uint64_t replica, const std::string& reason) {
    RunResult run = run_of("sync", replica, {});
    run.status = RunStatus::diverged;
    run.reason = reason;
    return run;
  };
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 25; ++replica) {
    results.push_back(went_wrong(replica, "why " + std::to_string(replica)));
  }
  const std::string text = printed(results);
  CAPTURE(text);
  CHECK(contains(text, "\n sync-0 diverged: why 0\n"));
  CHECK(contains(text,
                 "\n sync-19 diverged: why 19\n ... and 5 more, see runs.csv and warnings.csv\n"));
  // What is the same of several is one line.
  CHECK(contains(printed({went_wrong(0, "why"), went_wrong(1, "why"), run_of("sync", 2, 20)}),
                 "\n sync (2 of 3 runs: sync-0, sync-1) diverged: why\n"));
}

TEST_CASE("what so few replicas can decide is said where they leave something undecided") {
  // Two replicas of three algorithms: t with one degree of freedom is tan of the angle,
  // tan((1 - 0.05 / 3) pi / 2) / sqrt(2) = 38.190 / 1.4142 = 27.0.
  const std::vector<RunResult> unsure = {run_of("sync", 0, 20),  run_of("sync", 1, 22),
                                         run_of("async", 0, 10), run_of("async", 1, 11),
                                         run_of("local", 0, 21), run_of("local", 1, 21)};
  CHECK(contains(printed(unsure),
                 "\n with 2 replicas and 3 pairs only differences above 27.0 standard deviations "
                 "(log ratio) are significant; "));
  std::vector<RunResult> sure;
  for (std::uint64_t replica = 0; replica < 2; ++replica) {
    sure.push_back(finely_known(run_of("sync", replica, 20)));
    sure.push_back(finely_known(run_of("async", replica, 10)));
  }
  CHECK_FALSE(contains(printed(sure), " are significant; "));
}

TEST_CASE("beyond a screenful the table says who is first at each point, and where the rest is") {
  // 14 points of three algorithms are 42 rows. async is twice as fast as sync, each time exactly, but
  // for the first point, where sync alone is ahead and the two replicas disagree. local never arrives,
  // but at the second point: there it is last by its mean, and yet async is not surely before it.
  std::vector<RunResult> results;
  const auto add = [&](const std::string& algorithm, int point, std::optional<double> a,
                       std::optional<double> b) {
    for (const std::uint64_t replica : {0, 1}) {
      results.push_back(finely_known(run_of(algorithm, replica, replica == 0 ? a : b)));
      results.back().point = {point};
    }
  };
  const auto text_of = [&](int points) {
    results.clear();
    for (int point = 0; point < points; ++point) {
      add("sync", point, point == 0 ? 9 : 20, 20);
      add("async", point, point == 0 ? 20 : 10, point == 0 ? 19 : 10);
      if (point == 1)
        add("local", point, 12, 40);
      else
        add("local", point, {}, {});
    }
    std::ostringstream out;
    print_summary(out, experiment(), {"/cluster/link/latency"}, results);
    std::string text;
    for (const char c : out.str()) {
      if (c != ' ' || !text.ends_with(' ')) text += c;
    }
    return text;
  };
  const std::string full = text_of(13);  // 39 rows
  CHECK(contains(full, "\n local 12 not reached "));
  const std::string text = text_of(14);
  CAPTURE(text);
  CHECK_FALSE(contains(text, "local"));
  CHECK(contains(text, "\n latency first time to target second first vs second decided\n"));
  // sqrt(20/9 * 19/20) = 1.453
  CHECK(contains(text, "(2/2) async ~1.45x no\n"));
  CHECK(contains(text, "\n 13 async 10.00 s [9.97, 10.03] (2/2) sync 2.00x yes\n"));
  CHECK(contains(text, "\n 1 async 10.00 s [9.97, 10.03] (2/2) sync 2.00x no\n"));
  CHECK(contains(text, "\n first: async at 13 of 14 points (12 decided), sync at 1 (0 decided)\n"));
  CHECK(contains(text, "\n all 42 rows: summary.csv;"));
  // 41 points are more than a screenful themselves.
  const std::string many = text_of(41);
  CHECK_FALSE(contains(many, "first vs second"));
  CHECK(contains(many, "\n first: async at 40 of 41 points (39 decided), sync at 1 (0 decided)\n"));
  CHECK(contains(many,
                 "\n decided: faster than every other algorithm of the point, after correction for "
                 "the number of pairs; ~ undecided against the second\n"));
}

TEST_CASE("what is to be known of several runs of an algorithm alike is said once") {
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 5; ++replica) {
    results.push_back(run_of("sync", replica, 20));
    results.push_back(run_of("async", replica, 10));
    if (replica < 4) results[results.size() - 2].warnings = {{"kind", "is odd"}};
    if (replica < 3) results.back().warnings = {{"kind", "is odd"}};
  }
  const std::string text = printed(results);
  CAPTURE(text);
  CHECK(contains(text, "\n warning: sync (4 of 5 runs) is odd\n"));
  CHECK_FALSE(contains(text, " sync-0"));
  CHECK(contains(text, "\n warning: async (3 of 5 runs: async-0, async-1, async-2) is odd\n"));
}

TEST_CASE("a warning of all of few runs does not list them, that of one run names it") {
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 2; ++replica) {
    results.push_back(run_of("sync", replica, 20));
    results.back().warnings = {{"kind", "is odd"}};
    results.push_back(run_of("async", replica, 10));
    if (replica == 1) results.back().warnings = {{"kind", "is odd"}};
  }
  const std::string text = printed(results);
  CAPTURE(text);
  CHECK(contains(text, "\n warning: sync (2 of 2 runs) is odd\n"));
  CHECK(contains(text, "\n warning: async-1 is odd\n"));
}

TEST_CASE("what is to be known of a tuning is said of the algorithm, not of a run") {
  std::vector<RunResult> results;
  for (const int point : {1, 2, 3}) {
    for (std::uint64_t replica = 0; replica < 2; ++replica) {
      results.push_back(run_of("sync", replica, 20));
      results.back().point = {point};
      if (replica == 0 && point < 3)
        results.back().warnings = {{"at_edge", "was tuned to the edge"}};
    }
  }
  std::ostringstream out;
  print_summary(out, experiment(), {"/seed"}, results);
  CHECK(contains(out.str(),
                 "\n  warning: sync (at 2 points: seed=1, seed=2) was tuned to the edge\n"));
}

TEST_CASE("equal workers that meet at the server's port in every step are told of") {
  RunResult run = run_of("async", 0, 10);
  run.virtual_s = 10;
  run.max_staleness = 3;
  run.links = {{"server_down", 100, 200, 5, ""}};  // 200 of 1000 bytes: a fifth of it is used
  const auto lockstep = [&run](std::size_t twins) {
    const std::vector<RunWarning> warnings = warnings_of(run, {0, 0, 0, "", "", twins});
    return std::ranges::any_of(warnings, [](const auto& w) { return w.kind == "lockstep"; });
  };
  CHECK(lockstep(4));
  CHECK_FALSE(lockstep(0));
  run.links[0].bytes = 90;
  CHECK_FALSE(lockstep(4));
  run.links[0].bytes = 200;
  run.max_staleness = 0;  // everybody waits for everybody
  CHECK_FALSE(lockstep(4));
}

TEST_CASE("what a reader should know of a run is said in a line each") {
  RunResult run = run_of("sync", 0, {});
  run.curve.resize(2);
  run.curve[0].test_loss = 2.3;
  run.curve[1].test_loss = 1.9;
  const auto kinds = [&run](double chance, std::uint64_t warm_up) {
    std::vector<std::string> found;
    for (const RunWarning& warning : warnings_of(run, {chance, 100, warm_up, "", ""})) {
      found.push_back(warning.kind);
    }
    return found;
  };
  using Kinds = std::vector<std::string>;
  CHECK(kinds(0.1, 0).empty());
  CHECK(kinds(0.1, 10) == Kinds{"in_warm_up"});  // of 10 updates
  CHECK(kinds(0.1, 9).empty());
  const auto with_bound = [&run] {
    return warnings_of(run, {0.1, 100, 0, "staleness", "held_back"});
  };
  REQUIRE(with_bound().size() == 1);
  CHECK(with_bound()[0].text == "has a staleness that never acted: it ran as if without it");
  run.decisions = {{0, 0, "held_back", 4}, {1, 0, "batch_size", 4}};  // what is so from the start
  CHECK(with_bound().size() == 1);
  run.decisions = {{1, 0, "held_back", 4}};
  CHECK(with_bound().empty());
  run.decisions.clear();
  run.workers[0].discarded_s = 1;
  CHECK(with_bound().empty());
  run.best_test_accuracy = 0.159;  // two standard deviations of 100 draws of 0.1: 0.06
  CHECK(kinds(0.1, 0) == Kinds{"chance_level"});
  run.best_test_accuracy = 0.161;
  CHECK(kinds(0.1, 0).empty());
  run.best_test_accuracy = 0.95;  // nineteen in twenty are of one class
  CHECK(kinds(0.95, 0) == Kinds{"chance_level"});
  run.time_to_target_s = 1;
  CHECK(kinds(0.95, 0).empty());
  run.time_to_target_s.reset();
  run.curve[1].kind = EvaluatedModel::oracle;
  CHECK(kinds(0.1, 0) == Kinds{"no_merge"});
  run.curve[1].kind = run.curve[0].kind;
  run.curve[1].test_loss = 2.3;
  CHECK(kinds(0.1, 200) == Kinds{"never_moved", "in_warm_up"});
  run.updates = 0;
  CHECK(kinds(0.1, 200) == Kinds{"no_update"});
  run.warnings = warnings_of(run, {});
  CHECK(contains(printed({run}), "\n warning: sync finished no update: is /stop too early?\n"));
  run.status = RunStatus::diverged;
  CHECK(kinds(0.1, 200).empty());
}

TEST_CASE("a target crossed before the second evaluation is told of") {
  RunResult run = run_of("sync", 0, 6.66);
  run.curve.resize(3);
  run.curve[1].time_s = 8;
  run.curve[1].updates = 200;
  run.curve[2].time_s = 16;
  run.curve[2].updates = 400;
  const auto warnings = [&run] { return warnings_of(run, {}); };
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0].kind == "coarse");
  CHECK(warnings()[0].text ==
        "crossed the target before its second evaluation, so its time to target is hardly known: "
        "evaluate more often (/evaluate/every)");
  run.curve[1].updates = 1;  // one update: there is nothing in between
  CHECK(warnings().empty());
  run.curve[1].updates = 200;
  run.time_to_target_s = 8.1;  // after the second
  CHECK(warnings().empty());
  run.time_to_target_s = 0;  // by the initial model
  REQUIRE(warnings().size() == 1);
  CHECK(warnings()[0].kind == "met_at_start");
  CHECK(warnings()[0].text ==
        "meets the target before the first update, so its time to target says nothing: is /target "
        "what was meant?");
  run.time_to_target_s = 15;
  run.curve[1].kind = EvaluatedModel::oracle;  // merges are rarer than evaluations
  CHECK(warnings().empty());
}

/// Workers of these classes that wait for most of the time, all of the same speed.
RunResult waiting(const std::vector<std::string>& classes) {
  RunResult run = run_of("sync", 0, 20);
  run.workers.resize(classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    run.workers[i].name = classes[i] + std::to_string(i);
    run.workers[i].class_name = classes[i];
    run.workers[i].speed_flops = 4;
    run.workers[i].wait_s = 60;
    run.workers[i].compute_s = 40;
  }
  return run;
}

TEST_CASE("where speeds differ within a class, the straggler is a worker and not the class") {
  RunResult run = waiting({"node", "node", "node", "new"});
  run.workers[3].speed_flops = 8;
  CHECK(contains(time_budget(run), "(slowest class: node)"));
  run.workers[1].speed_flops = 1;
  CHECK(contains(time_budget(run), "(slowest worker: node1)"));
}

TEST_CASE("of workers that are equally fast none is called the slowest") {
  // As where one class is throttled for a while: the speeds of the description do not tell.
  const std::string text = time_budget(waiting({"cool", "cool", "hot"}));
  CHECK(contains(text, "wait 60 %"));
  CHECK_FALSE(contains(text, "slowest"));
}

TEST_CASE("who was tuned to the edge of a grid is marked in the table, and the mark explained") {
  const auto rows_at = [](int points) {
    std::vector<RunResult> results;
    for (int point = 0; point < points; ++point) {
      for (const char* algorithm : {"sync", "async"}) {
        results.push_back(run_of(algorithm, 0, algorithm == std::string("sync") ? 20 : 10));
        results.back().tuned_at_edge = algorithm == std::string("sync");
        if (points > 1) results.back().point = {point};
      }
    }
    std::ostringstream out;
    print_summary(out, experiment(),
                  points > 1 ? std::vector<std::string>{"/seed"} : std::vector<std::string>{},
                  results);
    return out.str();
  };
  const std::string explained = "  † tuned to the edge of its grid";
  const std::string one = rows_at(1);
  CAPTURE(one);
  CHECK(contains(one, "\n  sync † "));
  CHECK(contains(one, "\n  async  "));
  CHECK(contains(one, explained));
  // 42 rows: the winner of each point, and the second.
  const std::string many = rows_at(21);
  CAPTURE(many);
  CHECK(contains(many, "   sync † "));
  CHECK(contains(many, explained));
  CHECK_FALSE(contains(printed({run_of("sync", 0, 20)}), "†"));
}

}  // namespace
}  // namespace motley
