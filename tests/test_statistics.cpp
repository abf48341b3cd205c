// Intervals against tables and by simulation; comparisons against hand-made runs.
#include <cmath>

#include "sim/base/json.hpp"
#include "sim/base/random_laws.hpp"
#include "sim/results/statistics/comparison.hpp"
#include "sim/results/statistics/summary_file.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

TEST_CASE("the interval of a mean is Student's") {
  // 1..5: mean 3, standard deviation sqrt(2.5); t(0.975; 4) = 2.776445 from any table.
  const Estimate five = mean_of({1, 2, 3, 4, 5}).value();
  CHECK(five.value == 3);
  const double half = 2.7764451052 * std::sqrt(2.5) / std::sqrt(5);
  CHECK(five.interval.value().low == Approx(3 - half).epsilon(1e-10));
  CHECK(five.interval.value().high == Approx(3 + half).epsilon(1e-10));
  // Two values: t(0.975; 1) = 12.7062047362, standard error |b - a| / 2.
  const Estimate two = mean_of({10, 12}).value();
  CHECK(two.value == 11);
  CHECK(two.interval.value().high == Approx(11 + 12.7062047362).epsilon(1e-10));
  CHECK(two.interval.value().low == Approx(11 - 12.7062047362).epsilon(1e-10));
}

TEST_CASE("one value has no interval, and equal values one of no width") {
  CHECK(mean_of({7}).value().value == 7);
  CHECK_FALSE(mean_of({7}).value().interval);
  CHECK_FALSE(mean_of({}));
  const Estimate equal = mean_of({0.1, 0.1, 0.1}).value();
  CHECK(equal.value == 0.1);
  CHECK(equal.interval.value().low == 0.1);
  CHECK(equal.interval.value().high == 0.1);
}

TEST_CASE("the median is in the middle") {
  CHECK(median_of({3, 1, 2}) == 2.0);
  CHECK(median_of({4, 1, 2, 3}) == 2.5);
  CHECK(median_of({5}) == 5.0);
  CHECK_FALSE(median_of({}));
}

TEST_CASE("a speed-up is the geometric mean of the paired ratios") {
  // Ratios 2 and 8: geometric mean 4; logarithms ln 4 -+ ln 2, standard error ln 2.
  const Estimate estimate = speedup_of({4, 8}, {2, 1}).value();
  CHECK(estimate.value == Approx(4).epsilon(1e-14));
  const double factor = std::exp(12.7062047362 * std::log(2));
  CHECK(estimate.interval.value().low == Approx(4 / factor).epsilon(1e-9));
  CHECK(estimate.interval.value().high == Approx(4 * factor).epsilon(1e-9));
  // Swapped, everything is inverted.
  const Estimate inverse = speedup_of({2, 1}, {4, 8}).value();
  CHECK(inverse.value == Approx(0.25).epsilon(1e-14));
  CHECK(inverse.interval.value().low == Approx(1 / estimate.interval->high).epsilon(1e-12));
  // One pair is a ratio without an interval, none is nothing.
  CHECK(speedup_of({6}, {2}).value().value == Approx(3));
  CHECK_FALSE(speedup_of({6}, {2}).value().interval);
  CHECK_FALSE(speedup_of({}, {}));
}

TEST_CASE("what the runs of a pair have in common cancels") {
  // Twice as fast in every pair, however different the pairs.
  const Estimate estimate = speedup_of({1, 10, 100}, {0.5, 5, 50}).value();
  CHECK(estimate.value == Approx(2).epsilon(1e-14));
  CHECK(estimate.interval.value().low == Approx(2).epsilon(1e-12));
  CHECK(estimate.interval.value().high == Approx(2).epsilon(1e-12));
}

TEST_CASE("19 of 20 intervals contain what they estimate") {
  constexpr int trials = 4000;
  RandomStream random(1, Purpose::step_noise);
  int means = 0;
  int speedups = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values;
    std::vector<double> baseline;
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
      values.push_back(10 + 3 * standard_normal(random));
      // Times of 10 and 20 s that share a large random factor and have a small one of their own.
      const double shared = std::exp(0.8 * standard_normal(random));
      baseline.push_back(20 * shared * std::exp(0.1 * standard_normal(random)));
      times.push_back(10 * shared * std::exp(0.1 * standard_normal(random)));
    }
    if (mean_of(values)->interval->contains(10)) ++means;
    if (speedup_of(baseline, times)->interval->contains(2)) ++speedups;
  }
  // A binomial share of 0.95 has a standard deviation of sqrt(0.95 * 0.05 / trials) = 0.0034.
  CHECK(static_cast<double>(means) / trials == Approx(0.95).margin(0.0138));
  CHECK(static_cast<double>(speedups) / trials == Approx(0.95).margin(0.0138));
}

/// A run of two workers, half of whose time is computing, with a curve of accuracy 0.1 to 0.4.
RunResult run_of(const std::string& algorithm, std::uint64_t replica,
                 std::optional<double> time_to_target_s) {
  RunResult run;
  run.algorithm = algorithm;
  run.replica = replica;
  run.virtual_s = 100;
  run.time_to_target_s = time_to_target_s;
  run.final_test_accuracy = 0.4;
  run.best_test_accuracy = 0.5;
  run.workers.resize(2);
  run.workers[0].compute_s = 30;
  run.workers[1].compute_s = 70;
  for (int i = 0; i < 4; ++i) {
    CurvePoint point;
    point.time_s = 30 * i;
    point.bytes = 1000 * i;
    point.test_accuracy = 0.1 * (i + 1);
    run.curve.push_back(point);
  }
  return run;
}

TEST_CASE("runs that did not reach the target are counted and not averaged") {
  std::vector<RunResult> results = {run_of("a", 0, 30), run_of("a", 1, 60), run_of("a", 2, {}),
                                    run_of("a", 3, {}), run_of("a", 4, {})};
  results[3].status = "diverged";
  results[3].final_test_accuracy.reset();
  results[3].best_test_accuracy.reset();
  results[4] = RunResult();
  results[4].algorithm = "a";
  results[4].replica = 4;
  results[4].status = "failed";
  const std::vector<ComparisonRow> rows = compare(results, "a");
  REQUIRE(rows.size() == 1);
  const ComparisonRow& row = rows[0];
  CHECK(row.runs.size() == 5);
  CHECK(row.reached == 2);
  CHECK(row.diverged == 1);
  CHECK(row.failed == 1);
  CHECK(row.time_to_target_s.value().value == 45);
  CHECK_FALSE(row.time_to_target_median_s);  // most runs take longer than any time
  results[2] = run_of("a", 2, 90);
  CHECK(compare(results, "a")[0].time_to_target_median_s == 90.0);

  CHECK(row.bytes_to_target == 1500.0);  // 1000 at 30 s, 2000 at 60 s
  CHECK(row.final_accuracy.value().value == Approx(0.4));
  CHECK(row.utilisation == Approx(0.5));
  // The baseline against itself.
  CHECK(row.speedup_pairs == 2);
  CHECK(row.speedup.value().value == 1);
}

TEST_CASE("nothing reached is no time, not an infinite or a zero one") {
  const std::vector<RunResult> results = {run_of("a", 0, 30), run_of("b", 0, {})};
  const std::vector<ComparisonRow> rows = compare(results, "a");
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].reached == 0);
  CHECK_FALSE(rows[1].time_to_target_s);
  CHECK_FALSE(rows[1].time_to_target_median_s);
  CHECK_FALSE(rows[1].bytes_to_target);
  CHECK_FALSE(rows[1].speedup);
  CHECK(rows[1].speedup_pairs == 0);
}

TEST_CASE("speed-ups pair the runs of the same replica, where both reached the target") {
  const std::vector<RunResult> results = {run_of("b", 2, 5),  run_of("a", 0, 40),
                                          run_of("a", 1, {}), run_of("a", 2, 20),
                                          run_of("b", 0, 20), run_of("b", 1, 1)};
  const std::vector<ComparisonRow> rows = compare(results, "a");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].algorithm == "b");
  CHECK(rows[0].speedup_pairs == 2);  // replicas 0 (40/20) and 2 (20/5): geometric mean sqrt(8)
  CHECK(rows[0].speedup.value().value == Approx(std::sqrt(8)).epsilon(1e-14));
}

TEST_CASE("every point of a sweep is compared with the baseline at that point") {
  std::vector<RunResult> results;
  for (const int ratio : {1, 8}) {
    for (const char* algorithm : {"a", "b"}) {
      results.push_back(run_of(algorithm, 0, algorithm[0] == 'a' ? 10 * ratio : 10));
      results.back().point = {ratio, "1Gbps"};
    }
  }
  const std::vector<ComparisonRow> rows = compare(results, "a");
  REQUIRE(rows.size() == 4);
  CHECK(rows[1].algorithm == "b");
  CHECK(rows[1].point == std::vector<Json>{1, "1Gbps"});
  CHECK(rows[1].speedup.value().value == Approx(1));
  CHECK(rows[3].point == std::vector<Json>{8, "1Gbps"});
  CHECK(rows[3].speedup.value().value == Approx(8));
}

TEST_CASE("accuracies are those in force at parts of the time budget") {
  // The curve steps to 0.1, 0.2, 0.3, 0.4 at 0, 30, 60, 90 s.
  std::vector<RunResult> results = {run_of("a", 0, {})};
  results[0].time_budget_s = 120;
  const auto by_budget = compare(results, "a")[0].accuracy_at;
  CHECK(by_budget[0] == Approx(0.2));  // 30 s: the step counts
  CHECK(by_budget[1] == Approx(0.3));
  CHECK(by_budget[2] == Approx(0.4));
  CHECK(by_budget[3] == Approx(0.4));  // after the end the last one stays
  results[0].curve[1].time_s = 30 * (1 + 1e-15);
  CHECK(compare(results, "a")[0].accuracy_at[0] ==
        Approx(0.2));  // the same moment, but for rounding
  // Without a budget: parts of the longest run at this point.
  results[0].time_budget_s.reset();
  results.push_back(run_of("b", 0, {}));
  results[1].virtual_s = 200;
  const auto by_longest = compare(results, "a")[0].accuracy_at;
  CHECK(by_longest[0] == Approx(0.2));  // 50 s
  CHECK(by_longest[1] == Approx(0.4));  // 100 s
  // What has diverged has no accuracy.
  results[0].status = "diverged";
  CHECK_FALSE(compare(results, "a")[0].accuracy_at[0]);
}

TEST_CASE("summary.csv has a column an axis, and an empty cell where there is no value") {
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 2; ++replica) {
    results.push_back(run_of("a", replica, 30));
    results.push_back(run_of("b", replica, replica == 0 ? std::optional(15.0) : std::nullopt));
  }
  for (RunResult& run : results) {
    run.point = {8, "1,5"};
    run.time_budget_s = 120;
  }
  const std::string text = summary_csv({"/x/ratio", "/y"}, "a", compare(results, "a"));
  const std::string shared = ",0.4,0.4,0.4,0.5,0.5,0.5,0.2,";
  // Accuracies 0.1, 0.2, 0.30000000000000004 and 0.4 are what 0.1 * (i + 1) is in doubles.
  CHECK(text ==
        "algorithm,/x/ratio,/y,n,reached,failed,diverged,time_to_target_mean_s,"
        "time_to_target_median_s,time_to_target_low_s,time_to_target_high_s,baseline,speedup,"
        "speedup_low,speedup_high,speedup_pairs,final_accuracy_mean,final_accuracy_low,"
        "final_accuracy_high,best_accuracy_mean,best_accuracy_low,best_accuracy_high,"
        "accuracy_at_25,accuracy_at_50,accuracy_at_75,accuracy_at_100,utilisation,"
        "bytes_to_target\n"
        "a,8,\"1,5\",2,2,0,0,30,30,30,30,a,1,1,1,2" +
            shared + "0.30000000000000004,0.4,0.4,0.5,1000\n" +
            "b,8,\"1,5\",2,1,0,0,15,,,,a,2,,,1" + shared +
            "0.30000000000000004,0.4,0.4,0.5,1000\n");
}

}  // namespace
}  // namespace motley
