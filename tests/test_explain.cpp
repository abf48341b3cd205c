// Why one algorithm is first: parts that add up, factors that multiply, words that name the
// largest.
#include <cmath>

#include "catch.hpp"
#include "program.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/tables/explanation.hpp"

using namespace motley;
using namespace motley::tests;

namespace {

/// A run that reached the target after so many updates and samples.
RunToTarget run_of(double time, double updates, double samples, std::array<double, 5> shares,
                   std::uint64_t replica = 0) {
  RunToTarget run;
  run.replica = replica;
  run.time_s = time;
  run.updates = updates;
  run.samples = samples;
  run.shares = shares;
  return run;
}

const char* const runs_header =
    "run,algorithm,replica,status,time_to_target_s,compute_s,transfer_s,wait_s,discarded_s,"
    "mean_staleness,best_test_accuracy";
const char* const curves_header = "run,time_s,updates,samples";
const char* const comparisons_header =
    "algorithm,against,pairs,ratio,ratio_low,ratio_high,bound,p_value,p_holm,verdict";

/// sync: 40 s, 100 updates of 64 samples. async: 10 s, 500 updates of 8 samples.
void write_results(const TemporaryFolder& folder) {
  folder.write("runs.csv", std::string(runs_header) +
                               "\nsync-0,sync,0,ok,40,20,5,75,0,0,0.9\n"
                               "async-0,async,0,ok,10,80,20,0,0,7,0.9\n"
                               "lame-0,lame,0,ok,,80,20,0,0,7,0.5\n");
  folder.write("curves.csv", std::string(curves_header) +
                                 "\nsync-0,0,0,0\nsync-0,40,100,6400\nsync-0,80,200,16000\n"
                                 "async-0,0,0,0\nasync-0,10,500,4000\n");
  folder.write("comparisons.csv", std::string(comparisons_header) +
                                      "\nasync,sync,1,4,,,,,,undecided\n"
                                      "sync,async,1,0.25,,,,,,undecided\n"
                                      "async,lame,5,3.125,2.5,3.9,at_least,0.001,0.003,faster\n");
}

}  // namespace

TEST_CASE("factors multiply to the ratio and parts add up to the time of a sample") {
  const std::vector<RunToTarget> a = {run_of(10, 500, 4000, {0.7, 0.2, 0.1, 0}),
                                      run_of(13, 600, 4700, {0.6, 0.2, 0.1, 0.1}, 1)};
  const std::vector<RunToTarget> b = {run_of(40, 100, 8000, {0.2, 0.05, 0.75, 0}),
                                      run_of(37, 90, 7100, {0.25, 0.05, 0.7, 0}, 1)};
  const std::optional<Explanation> e = explain("a", a, "b", b);
  REQUIRE(e);
  CHECK(e->pairs == 2);
  CHECK(e->first.algorithm == "a");
  CHECK(e->ratio() == Approx(std::sqrt(40.0 / 10 * 37 / 13)).epsilon(1e-12));
  CHECK(e->speed_factor() * e->samples_factor() == Approx(e->ratio()).epsilon(1e-12));
  for (const WayToTarget& way : {e->first, e->second}) {
    double sum = 0;
    for (const double part : way.parts_s) sum += part;
    CHECK(sum == Approx(way.per_sample_s()).epsilon(1e-12));
    CHECK(way.per_sample_s() * way.samples_per_update() ==
          Approx(way.per_update_s()).epsilon(1e-12));
    CHECK(way.per_update_s() * way.updates == Approx(way.time_s).epsilon(1e-12));
  }
}

TEST_CASE("the faster one is first in whichever order they are named") {
  const std::vector<RunToTarget> fast = {run_of(10, 10, 10, {1, 0, 0, 0})};
  const std::vector<RunToTarget> slow = {run_of(20, 10, 10, {0.5, 0, 0.5, 0})};
  CHECK(explain("fast", fast, "slow", slow)->first.algorithm == "fast");
  CHECK(explain("slow", slow, "fast", fast)->first.algorithm == "fast");
}

TEST_CASE("pairs in which one did not reach the target are left out and counted") {
  std::vector<RunToTarget> a = {run_of(10, 10, 10, {1, 0, 0, 0}), run_of(1, 1, 1, {1, 0, 0, 0}, 1)};
  std::vector<RunToTarget> b = {run_of(20, 10, 10, {1, 0, 0, 0}), run_of(9, 9, 9, {1, 0, 0, 0}, 1)};
  b[1].time_s.reset();
  const std::optional<Explanation> e = explain("a", a, "b", b);
  REQUIRE(e);
  CHECK(e->pairs == 1);
  CHECK(e->left_out == 1);
  CHECK(e->ratio() == Approx(2));
  CHECK(
      to_text(*e, std::nullopt)
          .starts_with(
              "In the 1 of 2 pairs of runs in which both reach it:\na reaches the target 2 times"));
  b[0].time_s.reset();
  CHECK_FALSE(explain("a", a, "b", b));
}

TEST_CASE("the verdict is the one that was stored, with its interval and p-value") {
  StoredVerdict verdict{"a", "b", 5, 3.8123, Bound::none, Verdict::faster, 3.2, 4.5, 0.00123};
  CHECK(to_text(verdict) ==
        "a is faster than b: 3.81 times as fast [3.2, 4.5] over 5 pairs of runs, p = 0.0012 after "
        "Holm's correction over all pairs of algorithms.\n");
  verdict.p_holm = 0;  // too small for a double
  CHECK(to_text(verdict).find("runs, p < 1e-12 after Holm's") != std::string::npos);
  verdict.p_holm = 0.00123;
  verdict.verdict = Verdict::undecided;
  CHECK(to_text(verdict).starts_with("Undecided whether a is faster than b: 3.81 times as fast"));
  // Why it is undecided is not inferred from the p-value, but stored, too.
  CHECK(to_text(verdict).find("resolution") == std::string::npos);
  verdict.is_within_resolution = true;
  CHECK(to_text(verdict).ends_with(
      "of algorithms; the times differ by less than their resolution.\n"));
}

TEST_CASE("whether times are within their resolution is read from comparisons.csv") {
  const TemporaryFolder folder;
  folder.write("comparisons.csv",
               "algorithm,against,pairs,ratio,ratio_low,ratio_high,bound,within_resolution,p_holm,"
               "verdict\na,b,5,1.01,1.005,1.015,,1,0.2,undecided\n"
               "a,c,5,1.01,1.005,1.015,,0,0.001,undecided\na,d,5,2,1.9,2.1,,,0.001,faster\n");
  CHECK(stored_verdict(folder.path(), "a", "b", "")->is_within_resolution);
  CHECK_FALSE(stored_verdict(folder.path(), "a", "c", "")->is_within_resolution);
  CHECK_FALSE(stored_verdict(folder.path(), "a", "d", "")->is_within_resolution);
  write_results(folder);  // without the column, as before there was one
  CHECK_FALSE(stored_verdict(folder.path(), "async", "sync", "")->is_within_resolution);
}

TEST_CASE("what happens between evaluations is interpolated") {
  const TemporaryFolder folder;
  folder.write("runs.csv", std::string(runs_header) + "\na-0,a,0,ok,15,1,0,0,0,0,0.9\n");
  folder.write("curves.csv",
               std::string(curves_header) + "\na-0,0,0,0\na-0,10,100,1000\na-0,20,300,2000\n");
  const RunToTarget run = runs_to_target(folder.path(), "a", "").at(0);
  CHECK(run.updates == 200);
  CHECK(run.samples == 1500);
}

TEST_CASE("explain reads a results folder and says which part dominates") {
  const TemporaryFolder folder;
  write_results(folder);
  const Outcome outcome = run_motley({"explain", ".", "async", "sync"}, folder.path());
  CHECK(outcome.err.empty());
  CHECK(outcome.exit_code == 0);
  // 40 s / 6400 = 6.25 ms a sample, of which waiting 0.75; 10 s / 4000 = 2.5 ms. So a sample is 2.5
  // times as fast, which is log 2.5 / log 4 = 66 % of the ratio; waiting is 4.6875 ms of the
  // 3.75 ms between them, since computing and transfer go the other way.
  CHECK(
      outcome.out ==
      "Undecided whether async is faster than sync: 4 times as fast over 1 pair of runs: more "
      "replicas would tell.\n"
      "async reaches the target 4 times as fast as sync: in 10 s against 40 s.\n"
      "\n"
      "                          async       sync   sync / async\n"
      "    computing              2 ms    1.25 ms\n"
      "  + transfer             500 us   312.5 us\n"
      "  + waiting                0 us   4.688 ms\n"
      "  + discarded              0 us       0 us\n"
      "  = time per sample      2.5 ms    6.25 ms            2.5\n"
      "  x samples per update        8         64              8\n"
      "  = time per update       20 ms     400 ms             20\n"
      "  x updates needed          500        100            0.2\n"
      "  = time to target         10 s       40 s              4\n"
      "\n"
      "Speed dominates: async handles a sample in 40 % of sync's time; the largest part of that is "
      "waiting (0 us against 4.688 ms per sample, 125 % of the difference).\n"
      "Learning helps, too: async needs 63 % of sync's samples; mean staleness 7 against 0.\n"
      "Speed 2.5 x learning 1.6 = 4: on a log scale, speed accounts for 66 % and learning for 34 "
      "%.\n"
      "The parts of a sample's time follow the workers' time over their whole runs.\n");
}

TEST_CASE("large shares and what is about equal are said in plain numbers") {
  const std::vector<RunToTarget> a = {run_of(100, 10, 1500, {1, 0, 0, 0})};
  const std::string close =
      to_text(*explain("a", a, "b", {run_of(102, 10, 1020, {1, 0, 0, 0})}), {});
  CHECK(close.find("Speed 1.5 x learning 0.68 = 1.02: on a log scale, speed accounts for 2048 % "
                   "and learning for -1948 %.\n") != std::string::npos);
  const std::string equal =
      to_text(*explain("a", a, "b", {run_of(100.1, 10, 1430, {1, 0, 0, 0})}), {});
  CHECK(
      equal.starts_with("a and b reach the target at about the same time: in 100 s and 100.1 s."));
  CHECK(
      equal.find("There is next to nothing to explain. Speed 1.05 x learning 0.9533 = 1.001.\n") !=
      std::string::npos);
}

TEST_CASE("explain says when it is the other way round, and when there is nothing to explain") {
  const TemporaryFolder folder;
  write_results(folder);
  const Outcome turned = run_motley({"explain", ".", "sync", "async"}, folder.path());
  CHECK(turned.out.starts_with("Undecided"));  // then it is not the other way round either
  const Outcome none = run_motley({"explain", ".", "async", "lame"}, folder.path());
  CHECK(none.exit_code == 0);
  CHECK(none.out.starts_with(
      "async is faster than lame: at least 2.5 times as fast over 5 pairs of runs, cut where one "
      "ended before it reached the target, p = 0.003 after Holm's correction over all pairs of "
      "algorithms.\n"
      "There is no ratio to take apart: async reached the target in 1 of 1 runs, lame in 0 of 1, "
      "never both with the same seed.\n"));
  folder.write("scenario.json", "{}");
  CHECK(run_motley({"explain", ".", "async", "lame"}, folder.path()).out ==
        "There is nothing to explain: the scenario has no target, such as \"target\": "
        "{\"accuracy\": 0.8}.\n");
}

TEST_CASE("explain says when both begin at the target") {
  const TemporaryFolder folder;
  write_results(folder);
  folder.write("runs.csv", std::string(runs_header) +
                               "\nsync-0,sync,0,ok,0,20,5,75,0,0,0.9\n"
                               "async-0,async,0,ok,0,80,20,0,0,7,0.9\n");
  CHECK(
      run_motley({"explain", ".", "async", "sync"}, folder.path())
          .out.find("There is nothing to explain: the initial model is at the target already, for "
                    "both with the same seed. Set a harder target.\n") != std::string::npos);
}

TEST_CASE("explain says when the table has them in another order, and refuses no verdict") {
  const TemporaryFolder folder;
  write_results(folder);
  folder.write("summary.csv", "algorithm,place\nsync,1\nasync,2\n");
  const std::string told =
      "In the table sync comes before async: that goes by the share of runs that reached the "
      "target, "
      "then by their mean time.\nUndecided";
  CHECK(run_motley({"explain", ".", "async", "sync"}, folder.path()).out.starts_with(told));
  folder.write("summary.csv", "algorithm,place\nsync,2\nasync,1\n");
  CHECK(run_motley({"explain", ".", "async", "sync"}, folder.path())
            .out.starts_with("Undecided whether async"));
  folder.write("comparisons.csv",
               std::string(comparisons_header) + "\nasync,sync,1,4,,,,,,fastest\n");
  const Outcome refused = run_motley({"explain", ".", "async", "sync"}, folder.path());
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "motley: ./comparisons.csv: no verdict of async against sync: must be faster, slower or "
        "undecided, got 'fastest' with the bound ''\n");
}

TEST_CASE("explain names what it does not find") {
  const TemporaryFolder folder;
  write_results(folder);
  CHECK(run_motley({"explain", ".", "async", "synk"}, folder.path()).err ==
        "motley: .: no run of 'synk' (did you mean 'sync'?); there are async, lame, sync\n");
  CHECK(run_motley({"explain", "nowhere", "a", "b"}, folder.path()).err ==
        "motley: nowhere/runs.csv: no such file; is this a results folder of motley run?\n");
  CHECK(run_motley({"explain", "."}, folder.path()).err ==
        "motley: explain: needs a results folder and two algorithms, such as: motley explain "
        "results/quickstart async sync\n");
}

/// Two points, by their values of these axes: at the first a is twice as fast as b, at the second nine times.
void write_sweep(const TemporaryFolder& folder, const std::string& axes, const std::string& first,
                 const std::string& second) {
  const auto row = [](const std::string& run, int time_s, const std::string& point) {
    return run + "," + run.substr(0, 1) + ",0,ok," + std::to_string(time_s) + ",1,0,0,0,0,0.9," +
           point + "\n";
  };
  folder.write("runs.csv", std::string(runs_header) + "," + axes + "\n" + row("a-0", 10, first) +
                               row("b-0", 20, first) + row("a-1", 10, second) +
                               row("b-1", 90, second));
  folder.write("curves.csv",
               std::string(curves_header) + "\na-0,10,5,5\nb-0,20,5,5\na-1,10,5,5\nb-1,90,5,5\n");
}

TEST_CASE("of a sweep one point is explained") {
  const TemporaryFolder folder;
  write_sweep(folder, "/cost/model_size", "1MB", "9MB");
  CHECK(run_motley({"explain", ".", "a", "b"}, folder.path()).err ==
        "motley: .: is a sweep; choose a point with --at, one of: /cost/model_size=1MB, "
        "/cost/model_size=9MB\n");
  for (const char* point :
       {"/cost/model_size=9MB", "model_size=9MB", "cost/model_size=9MB", "size=9MB"}) {
    CHECK(run_motley({"explain", ".", "a", "b", "--at", point}, folder.path())
              .out.starts_with("a reaches the target 9 times as fast as b"));
  }
  CHECK(run_motley({"explain", ".", "a", "b", "--at", "site=9MB"}, folder.path()).err ==
        "motley: --at: no such point 'site=9MB'; there are: /cost/model_size=1MB, "
        "/cost/model_size=9MB\n");
}

TEST_CASE("a point of several axes is named at once or value by value") {
  const TemporaryFolder folder;
  write_sweep(folder, "/cost/model_size,/seed", "1MB,1", "1MB,2");
  using Words = std::vector<std::string>;
  for (const Words& at :
       {Words{"--at", "size=1MB seed=2"}, Words{"--at", "size=1MB", "--at", "seed=2"}}) {
    Words words = {"explain", ".", "a", "b"};
    words.insert(words.end(), at.begin(), at.end());
    CHECK(run_motley(words, folder.path()).out.starts_with("a reaches the target 9 times as fast"));
  }
}

TEST_CASE("a value alone will do where only one axis has it") {
  const TemporaryFolder folder;
  folder.write("runs.csv",
               "run,algorithm,replica,status,/cluster/link/bandwidth,/cluster/workers/0/count\n"
               "a-0,a,0,ok,1Gbps,4\na-1,a,0,ok,10Gbps,4\na-2,a,0,ok,10Gbps,8\n");
  CHECK(point_meant(folder.path(), "1Gbps") ==
        "/cluster/link/bandwidth=1Gbps /cluster/workers/0/count=4");
  CHECK(point_meant(folder.path(), "8.0") ==
        "/cluster/link/bandwidth=10Gbps /cluster/workers/0/count=8");
  CHECK(point_meant(folder.path(), "10Gbps count=4") ==
        "/cluster/link/bandwidth=10Gbps /cluster/workers/0/count=4");
  CHECK_THROWS_WITH(point_meant(folder.path(), "10Gbps"), Catch::Contains("may be any of"));
}

TEST_CASE("any short name that can mean only one point will do") {
  const TemporaryFolder folder;
  const std::string spread = "/cluster/workers/0/spread/ratio";
  const std::string link = "/cluster/link/ratio_of_links";
  folder.write("runs.csv", "run,algorithm,replica,status," + spread + "," + link +
                               "\na-0,a,0,ok,1,8\na-1,a,0,ok,8,1\na-2,a,0,ok,8,8\n");
  const auto meant = [&](const std::string& given) -> std::string {
    try {
      const std::string point = point_meant(folder.path(), given);
      return point.substr(spread.size() + 1, 1) + "," + point.substr(point.size() - 1);
    } catch (const InputError& e) {
      return e.what();
    }
  };
  CHECK(meant("ratio=1") == "1,8");  // the end of one name, only part of the other
  CHECK(meant("links=1") == "8,1");
  CHECK(meant("ratio=8 links=8.0") == "8,8");
  CHECK(meant("spread/ratio=8 link=1") == "8,1");
  CHECK(meant("ratio=8").starts_with("--at: 'ratio=8' may be any of: "));
  CHECK(meant("ratio=2").starts_with("--at: no such point 'ratio=2'; there are: "));
  CHECK(meant("=8").starts_with("--at: no such point"));
  CHECK(meant("8") ==
        "--at: '8' is a value of " + link + ", " + spread + ": say which, as in " + link + "=8");
  CHECK(meant("2").starts_with("--at: no such point '2'; there are: "));
}
