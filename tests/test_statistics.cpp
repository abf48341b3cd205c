// Intervals against tables and by simulation; comparisons against hand-made runs.
#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"
#include "sim/base/random_laws.hpp"
#include "sim/results/statistics/comparisons_file.hpp"
#include "sim/results/statistics/summary_file.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

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

TEST_CASE("intervals keep within what is possible, and are Student's where they are narrow") {
  // 1 and 3: mean 2, standard error 1, half width t(0.975; 1) = 12.7062047362.
  const double half = 12.7062047362;
  const Estimate time = mean_of({1, 3}, Range::positive).value();
  CHECK(time.value == 2);
  CHECK(time.interval.value().low == Approx(2 * std::exp(-half / 2)).epsilon(1e-9));
  CHECK(time.interval.value().high == Approx(2 * std::exp(half / 2)).epsilon(1e-9));
  CHECK(time.interval->low > 0);
  // 0.7 and 0.9: mean 0.8, half width 0.1 t; on the scale of log(p / (1 - p)) 0.1 t / 0.16.
  const Estimate share = mean_of({0.7, 0.9}, Range::share).value();
  CHECK(share.value == Approx(0.8));
  const auto back = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  CHECK(share.interval.value().low == Approx(back(std::log(4) - 0.1 * half / 0.16)).epsilon(1e-9));
  CHECK(share.interval.value().high == Approx(back(std::log(4) + 0.1 * half / 0.16)).epsilon(1e-9));
  CHECK(share.interval->low > 0);
  CHECK(share.interval->high < 1);
  // All right, or all wrong, is certain; nearly all has an interval that ends before 1.
  CHECK(mean_of({1, 1, 1}, Range::share)->interval->high == 1);
  CHECK(mean_of({0, 0}, Range::positive)->interval->high == 0);
  CHECK(mean_of({1, 0.999}, Range::share)->interval->high <= 1);
  // Where the half width is small beside the mean, all are the same.
  const Estimate narrow = mean_of({100, 100.001}, Range::positive).value();
  const Estimate plain = mean_of({100, 100.001}).value();
  CHECK(narrow.interval->low == Approx(plain.interval->low).epsilon(1e-8));
  CHECK(narrow.interval->high == Approx(plain.interval->high).epsilon(1e-8));
}

TEST_CASE("19 of 20 intervals contain what they estimate") {
  constexpr int trials = 4000;
  RandomStream random(1, Purpose::step_noise);
  int means = 0;
  int times = 0;
  int shares = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values;
    std::vector<double> seconds;
    std::vector<double> accuracies;
    for (int i = 0; i < 5; ++i) {
      values.push_back(10 + 3 * standard_normal(random));
      seconds.push_back(10 * std::exp(0.1 * standard_normal(random)));
      accuracies.push_back(1 / (1 + std::exp(-2 - 0.2 * standard_normal(random))));
    }
    if (mean_of(values)->interval->contains(10)) ++means;
    // The mean of a log-normal law is exp(sigma^2 / 2) times its median.
    const double mean_s = 10 * std::exp(0.1 * 0.1 / 2);
    if (mean_of(seconds, Range::positive)->interval->contains(mean_s)) ++times;
    // p + sigma^2 p'' / 2 up to the fourth power of sigma, with p'' = p (1 - p) (1 - 2 p).
    const double p = 1 / (1 + std::exp(-2));
    const double mean_share = p + 0.2 * 0.2 * p * (1 - p) * (1 - 2 * p) / 2;
    if (mean_of(accuracies, Range::share)->interval->contains(mean_share)) ++shares;
  }
  // A binomial share of 0.95 has a standard deviation of sqrt(0.95 * 0.05 / trials) = 0.0034.
  CHECK(static_cast<double>(means) / trials == Approx(0.95).margin(0.0138));
  CHECK(static_cast<double>(times) / trials == Approx(0.95).margin(0.0138));
  CHECK(static_cast<double>(shares) / trials == Approx(0.95).margin(0.0138));
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
  results[3].status = RunStatus::diverged;
  results[3].final_test_accuracy.reset();
  results[3].best_test_accuracy.reset();
  results[4] = RunResult();
  results[4].algorithm = "a";
  results[4].replica = 4;
  results[4].status = RunStatus::failed;
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
  results[0].time_to_target_s = 45;
  CHECK(compare(results, "a")[0].bytes_to_target == Approx((1500 + 2000 + 3000) / 3.0));
  CHECK(row.final_accuracy.value().value == Approx(0.4));
  CHECK(row.utilisation == Approx(0.5));
  // The baseline against itself.
  CHECK(row.versus_baseline().ratio.value().value == 1);
  CHECK(row.against.empty());
}

TEST_CASE("nothing reached is no time, not an infinite or a zero one") {
  const std::vector<RunResult> results = {run_of("a", 0, 30), run_of("b", 0, {})};
  const std::vector<ComparisonRow> rows = compare(results, "a");
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].reached == 0);
  CHECK_FALSE(rows[1].time_to_target_s);
  CHECK_FALSE(rows[1].time_to_target_median_s);
  CHECK_FALSE(rows[1].bytes_to_target);
  // It has not until its end at 100 s, while the other one did at 30 s.
  const PairedRatio ratio = rows[1].versus_baseline();
  CHECK(ratio.pairs == 1);
  CHECK(ratio.bound == Bound::at_most);
  CHECK(ratio.ratio.value().value == Approx(0.3));
  CHECK(rows[0].against.at(0).result.bound == Bound::at_least);
}

TEST_CASE("runs of the same replica are paired; those that failed are left out") {
  std::vector<RunResult> results = {run_of("b", 2, 5),  run_of("a", 0, 40), run_of("a", 1, {}),
                                    run_of("a", 2, 20), run_of("b", 0, 20), run_of("b", 1, 50)};
  std::vector<ComparisonRow> rows = compare(results, "a");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].algorithm == "b");
  // Replicas 0 (40/20), 1 (100, its end, against 50) and 2 (20/5).
  CHECK(rows[0].versus_baseline().pairs == 3);
  CHECK(rows[0].versus_baseline().bound == Bound::at_least);
  CHECK(rows[0].versus_baseline().ratio.value().value ==
        Approx(std::cbrt(2.0 * 2 * 4)).epsilon(1e-14));
  CHECK(rows[1].against.at(0).algorithm == "b");
  CHECK(rows[1].against.at(0).result.ratio.value().value ==
        Approx(1 / std::cbrt(2.0 * 2 * 4)).epsilon(1e-14));
  results[2].status = RunStatus::failed;
  CHECK(compare(results, "a")[0].versus_baseline().pairs == 2);
  CHECK(compare(results, "a")[0].versus_baseline().bound == Bound::none);
}

TEST_CASE("a run that diverged is known not to arrive for as long as the others were given") {
  // b diverged after a second; a arrived at 25 s. Both were given 200 s, or else 100 s was longest.
  std::vector<RunResult> results = {run_of("a", 0, 25), run_of("b", 0, {})};
  results[1].status = RunStatus::diverged;
  results[1].virtual_s = 1;
  CHECK(compare(results, "b")[0].versus_baseline().ratio.value().value == Approx(4));
  CHECK(compare(results, "b")[0].versus_baseline().bound == Bound::at_least);
  results[1].time_budget_s = 200;
  CHECK(compare(results, "b")[0].versus_baseline().ratio.value().value == Approx(8));
}

TEST_CASE("the correction is over all pairs of algorithms at a point") {
  std::vector<RunResult> results;
  for (const int point : {1, 2}) {
    for (std::uint64_t replica = 0; replica < 3; ++replica) {
      const double noise = 1 + 0.1 * static_cast<double>(replica * replica);
      for (const double time : {10.0, 13.0, 40.0}) {
        const double own = time == 13.0 ? time : time * noise;
        results.push_back(run_of("t" + std::to_string(static_cast<int>(time)), replica, own));
        results.back().point = {point};
        results.back().curve.resize(2);  // evaluated just before it
        results.back().curve[0].time_s = own * (1 - 1e-6);
        results.back().curve[1].time_s = own;
      }
    }
  }
  const std::vector<ComparisonRow> rows = compare(results, "t10");
  REQUIRE(rows.size() == 6);
  // t10 and t40 share their noise: exactly four times in each pair, so that only the resolution of a
  // millionth is left; with two degrees of freedom p is about 1 / t^2, and t a few millions.
  CHECK(rows[0].against.at(1).result.p_holm.value() < 1e-12);
  CHECK(rows[0].against.at(1).result.verdict == Verdict::faster);
  // The other two of the three pairs: the smaller p-value times 2, the larger times 1.
  const PairedRatio& close = rows[0].against.at(0).result;  // t10 against t13
  const PairedRatio& apart = rows[1].against.at(1).result;  // t13 against t40
  REQUIRE(*apart.p_value < *close.p_value);
  CHECK(*apart.p_holm == Approx(2 * *apart.p_value));
  CHECK(*close.p_holm == Approx(std::max(*close.p_value, *apart.p_holm)));
  // The same at the other point: they are not corrected for each other.
  CHECK(*rows[3].against.at(0).result.p_holm == *close.p_holm);
}

/// Its time is known to a hundredth of a second.
RunResult finely_known(const std::string& algorithm, std::uint64_t replica,
                       std::optional<double> time) {
  RunResult run = run_of(algorithm, replica, time);
  if (!time) return run;
  run.curve.resize(2);
  run.curve[0].time_s = *time - 0.01;
  run.curve[1].time_s = *time;
  return run;
}

const std::optional<double> never;

/// In the order of the algorithms, which have three runs each.
std::vector<ComparisonRow> placed(std::vector<RunResult>& results,
                                  const std::vector<std::vector<std::optional<double>>>& times) {
  results.clear();
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::uint64_t replica = 0; replica < 3; ++replica) {
      results.push_back(
          finely_known(std::string(1, static_cast<char>('a' + i)), replica, times[i].at(replica)));
    }
  }
  return compare(results, "a");
}

TEST_CASE("first is whose runs reach the target most often, then soonest") {
  std::vector<RunResult> results;
  const std::vector<ComparisonRow> rows =
      placed(results, {{10, 10, never}, {30, 30, 30}, {20, 20, 20}, {never, never, never}});
  CHECK(rows[0].place == 3);  // soonest, but not always
  CHECK(rows[1].place == 2);
  CHECK(rows[2].place == 1);
  CHECK(rows[3].place == 4);
}

TEST_CASE("a place is decided against everybody behind it, not only the next") {
  std::vector<RunResult> results;
  // c has the largest mean, (9 + 70 + 70) / 3, but one run that is sooner than any: a is surely faster
  // than b, and b's place is as unsure as a's.
  std::vector<ComparisonRow> rows = placed(results, {{10, 10, 10}, {20, 20, 20}, {9, 70, 70}});
  REQUIRE(rows[2].place == 3);
  CHECK(rows[0].against.at(0).result.verdict == Verdict::faster);
  CHECK(rows[0].against.at(1).result.verdict == Verdict::undecided);
  CHECK(rows[0].decided == false);
  CHECK(rows[1].decided == false);
  CHECK_FALSE(rows[2].decided);  // nobody is behind it
  rows = placed(results, {{10, 10, 10}, {20, 20, 20}, {70, 70, 70}, {never, never, never}});
  CHECK(rows[0].decided == true);
  CHECK(rows[2].decided == true);  // before one that never arrives
  // Whose runs all failed cannot be compared.
  rows = placed(results, {{10, 10, 10}, {never, never, never}});
  for (std::size_t i = 3; i < 6; ++i) results[i].status = RunStatus::failed;
  CHECK_FALSE(compare(results, "a")[0].decided);
}

TEST_CASE("without a target the final accuracy makes the place, and without one the loss") {
  std::vector<RunResult> results = {run_of("a", 0, {}), run_of("b", 0, {}), run_of("c", 0, {})};
  results[0].final_test_accuracy = 0.5;
  results[1].final_test_accuracy = 0.7;
  results[2].final_test_accuracy = 0.6;
  const auto places = [&] {
    std::vector<std::size_t> all;
    for (const ComparisonRow& row : compare(results, "a")) all.push_back(row.place);
    return all;
  };
  CHECK(places() == std::vector<std::size_t>{3, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) {
    results[i].final_test_accuracy.reset();
    results[i].final_test_loss = 0.3 - 0.1 * static_cast<double>(i);
  }
  CHECK(places() == std::vector<std::size_t>{3, 2, 1});
  CHECK_FALSE(compare(results, "a")[2].decided);
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
  CHECK(rows[1].versus_baseline().ratio.value().value == Approx(1));
  CHECK(rows[3].point == std::vector<Json>{8, "1Gbps"});
  CHECK(rows[3].versus_baseline().ratio.value().value == Approx(8));
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
  results[0].status = RunStatus::diverged;
  CHECK_FALSE(compare(results, "a")[0].accuracy_at[0]);
}

TEST_CASE(
    "summary.csv and comparisons.csv have a column per axis, and empty cells without a value") {
  std::vector<RunResult> results;
  for (std::uint64_t replica = 0; replica < 2; ++replica) {
    results.push_back(run_of("a", replica, 30));
    results.push_back(run_of("b", replica, replica == 0 ? std::optional(15.0) : std::nullopt));
  }
  for (RunResult& run : results) {
    run.point = {8, "1,5"};
    run.time_budget_s = 120;
  }
  const std::vector<ComparisonRow> rows = compare(results, "a");
  const std::string text = summary_csv({"/x/ratio", "/y"}, rows);
  const std::string shared = ",0.4,0.4,0.4,0.5,0.5,0.5,0.2,";
  // Accuracies 0.1, 0.2, 0.30000000000000004 and 0.4 are what 0.1 * (i + 1) is in doubles.
  const std::string rest = shared + "0.30000000000000004,0.4,0.4,0.5,";
  CHECK(text.starts_with("algorithm,/x/ratio,/y,n,reached,"));
  const std::vector<std::string> lines = tests::lines_of(text);
  // Both 30 s, known to the 30 s between evaluations: t with one degree of freedom is 12.7062, so the
  // interval goes from 30 exp(-12.7062 / sqrt(12) / sqrt(2)) = 2.2424 to 401 s, beyond the end at 120 s.
  CHECK(lines.at(1).starts_with("a,8,\"1,5\",2,2,0,0,30,30,2.2424"));
  CHECK(lines.at(1).ends_with(",,30,a,1,1,1,2,,,,1,0" + rest + ",,1000,,,"));
  // b: 15 s, and none until its end at 100 s. Ratios 2 and 0.3: geometric mean sqrt(0.6).
  CHECK(lines.at(2).starts_with("b,8,\"1,5\",2,1,0,0,15,,,,30,a,0.7745966692414834,"));
  CHECK(lines.at(2).ends_with(",2,at_most,undecided,,2," + rest + ",,500,,,"));

  const std::vector<std::string> pairs = tests::lines_of(comparisons_csv({"/x/ratio", "/y"}, rows));
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0] ==
        "algorithm,against,/x/ratio,/y,pairs,ratio,ratio_low,ratio_high,bound,later_by_s,"
        "resolution_s,within_resolution,p_value,p_holm,verdict");
  CHECK(pairs[1].starts_with("a,b,8,\"1,5\",2,1.29099444873580"));
  CHECK(pairs[1].ends_with(",undecided"));
  CHECK(pairs[2].starts_with("b,a,8,\"1,5\",2,0.7745966692414834,"));
}

TEST_CASE("comparisons.csv says which times differ by less than their resolution") {
  std::vector<RunResult> results;
  for (const auto& [algorithm, time] :
       {std::pair("a", 50.0), std::pair("b", 54.0), std::pair("c", 56.0)}) {
    results.push_back(run_of(algorithm, 0, time));
    results.back().curve.resize(2);  // between evaluations 5 s apart
    results.back().curve[0].time_s = time - 2;
    results.back().curve[1].time_s = time + 3;
  }
  results.push_back(run_of("never", 0, std::nullopt));
  results.push_back(run_of("nor", 0, std::nullopt));
  const std::vector<std::string> pairs =
      tests::lines_of(comparisons_csv({}, compare(results, "a")));
  const auto has = [&pairs](const std::string& begin, const std::string& end) {
    return std::ranges::any_of(pairs, [&](const std::string& line) {
      return line.starts_with(begin) && line.ends_with(end);
    });
  };
  CHECK(has("a,b,", ",4,5,1,,,undecided"));
  CHECK(has("b,a,", ",-4,5,1,,,undecided"));
  CHECK(has("a,c,", ",6,5,0,,,undecided"));
  CHECK(has("never,nor,", ",,,,,,undecided"));
}

}  // namespace
}  // namespace motley
