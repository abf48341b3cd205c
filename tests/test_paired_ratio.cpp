// Which of two algorithms is faster, with runs that never reach the target: by hand and by
// simulation.
#include <cmath>

#include "sim/base/random_laws.hpp"
#include "sim/results/statistics/paired_ratio.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

using Arrivals = std::map<std::uint64_t, TargetArrival>;

Arrivals times(const std::vector<double>& values, double resolution = 0) {
  Arrivals arrivals;
  for (const double value : values) arrivals[arrivals.size()] = {value, true, resolution};
  return arrivals;
}

/// Compared alone, so that there is nothing to correct.
PairedRatio decided(const Arrivals& mine, const Arrivals& others) {
  PairedRatio ratio = compare_arrivals(mine, others);
  decide({&ratio});
  return ratio;
}

/// These times, all before `horizon_s`, against runs that have not arrived by then.
PairedRatio against_never(const std::vector<double>& times_s, double horizon_s) {
  std::map<std::uint64_t, TargetArrival> mine;
  std::map<std::uint64_t, TargetArrival> never;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    mine[i] = {times_s[i], true, 0};
    never[i] = {horizon_s, false, 0};
  }
  PairedRatio result = compare_arrivals(mine, never);
  decide({&result});
  return result;
}

TEST_CASE("always arriving where the other never does is a verdict, however late") {
  // By the times alone, 1.06 times as fast at least, nothing would be decided.
  const PairedRatio five = against_never({59.2, 59.2, 56.8, 50.3, 58.4}, 60);
  CHECK(five.verdict == Verdict::faster);
  CHECK(*five.p_value == Approx(2.0 / 1024));
  CHECK(five.bound == Bound::at_least);
  CHECK(five.ratio->interval->low < 1);
  CHECK(five.inverse().verdict == Verdict::slower);
  // Three pairs may be an accident.
  CHECK(against_never({59.2, 59.2, 50.3}, 60).verdict == Verdict::undecided);
}

TEST_CASE("the ratio is the geometric mean of the paired ratios") {
  // Ratios 2 and 8: geometric mean 4; logarithms ln 4 -+ ln 2, standard error ln 2, t(0.975; 1) =
  // 12.7062047362.
  const PairedRatio ratio = decided(times({2, 1}), times({4, 8}));
  CHECK(ratio.pairs == 2);
  CHECK(ratio.bound == Bound::none);
  CHECK(ratio.ratio.value().value == Approx(4).epsilon(1e-14));
  const double factor = std::exp(12.7062047362 * std::log(2));
  CHECK(ratio.ratio->interval.value().low == Approx(4 / factor).epsilon(1e-9));
  CHECK(ratio.ratio->interval.value().high == Approx(4 * factor).epsilon(1e-9));
  // t = ln 4 / ln 2 = 2; with one degree of freedom P(|T| > 2) = 1 - 2 atan(2) / pi.
  CHECK(ratio.p_value.value() == Approx(1 - 2 * std::atan(2) / M_PI).epsilon(1e-12));
  CHECK(ratio.verdict == Verdict::undecided);
  // From the other side everything is inverted.
  const PairedRatio inverse = decided(times({4, 8}), times({2, 1}));
  CHECK(inverse.ratio->value == Approx(0.25).epsilon(1e-14));
  CHECK(inverse.ratio->interval->low == Approx(1 / ratio.ratio->interval->high).epsilon(1e-12));
  CHECK(ratio.inverse().ratio->value == Approx(inverse.ratio->value).epsilon(1e-14));
  CHECK(ratio.inverse().ratio->interval->high ==
        Approx(inverse.ratio->interval->high).epsilon(1e-12));
}

TEST_CASE("what the runs of a pair have in common cancels") {
  // About twice as fast in every pair, however different the pairs.
  const PairedRatio ratio = decided(times({0.5, 5, 50}), times({1, 10.01, 99.9}));
  CHECK(ratio.ratio.value().value == Approx(2).epsilon(1e-3));
  CHECK(ratio.ratio->interval.value().high == Approx(2).epsilon(1e-2));
  CHECK(ratio.verdict == Verdict::faster);
  CHECK(ratio.inverse().verdict == Verdict::slower);
}

TEST_CASE("ratios that do not vary are no certainty where it is not known why") {
  for (const double time : {2.0, 3.0}) {
    const PairedRatio ratio = decided(times({2, 2.5}), times({time, time * 1.25}));
    CHECK(ratio.ratio.value().value == Approx(time / 2).epsilon(1e-14));
    CHECK_FALSE(ratio.ratio->interval);
    CHECK_FALSE(ratio.p_value);
    CHECK(ratio.verdict == Verdict::undecided);
  }
}

TEST_CASE("logarithms vary at least as much as the resolution of the times allows") {
  // Twice ln 2, of times 2 known to 0.6: a time anywhere in an interval of length r deviates by
  // r / sqrt(12), its logarithm by 0.3 / sqrt(12). Two pairs: t = ln 2 / (s / sqrt(2)) with one degree
  // of freedom, P(|T| > t) = 1 - 2 atan(t) / pi.
  const double s = 0.3 / std::sqrt(12);
  const PairedRatio ratio = decided(times({2, 2}, 0.6), times({4, 4}));
  const double t = std::log(2) / (s / std::sqrt(2));
  CHECK(ratio.p_value.value() == Approx(1 - 2 * std::atan(t) / M_PI).epsilon(1e-9));
  CHECK(ratio.ratio.value().interval.value().high ==
        Approx(2 * std::exp(12.7062047362 * s / std::sqrt(2))).epsilon(1e-9));
  CHECK(ratio.verdict == Verdict::undecided);  // p = 0.056
  // The other's resolution counts as well: 1.2 of 4 is 0.3, too, and variances add up.
  const double both = std::log(2) / s;  // the deviation is sqrt(2) s
  CHECK(decided(times({2, 2}, 0.6), times({4, 4}, 1.2)).p_value.value() ==
        Approx(1 - 2 * std::atan(both) / M_PI).epsilon(1e-9));
  // Known ten times as finely, the same two pairs decide it.
  CHECK(decided(times({2, 2}, 0.06), times({4, 4})).verdict == Verdict::faster);
  // What varies more than that is not touched: ratios 2 and 8, t = 2 as above.
  CHECK(decided(times({2, 1}, 0.6), times({4, 8})).p_value.value() ==
        Approx(1 - 2 * std::atan(2) / M_PI).epsilon(1e-12));
}

TEST_CASE(
    "a difference within the resolution of the times is undecided, however often it is seen") {
  // 40 pairs that differ by 4.5 %: t = ln 1.045 / (sqrt(2 * 0.1^2 / 12) / sqrt(40)) = 6.8.
  const std::vector<double> sooner(40, 10);
  const std::vector<double> later(40, 10.45);
  const PairedRatio within = decided(times(sooner, 1), times(later, 1));
  CHECK(within.p_holm.value() < 1e-6);
  CHECK(within.is_within_resolution());
  CHECK(within.inverse().is_within_resolution());
  CHECK(within.verdict == Verdict::undecided);
  // It is the later one whose crossing may have been sooner: 0.45 before.
  CHECK(decided(times(sooner, 1), times(later, 0.44)).verdict == Verdict::faster);
  CHECK(decided(times(sooner, 0.44), times(later, 1)).verdict == Verdict::undecided);
  // A run that did not arrive is known not to have, to the second.
  Arrivals never;
  for (std::uint64_t i = 0; i < 40; ++i) never[i] = {10.45, false};
  CHECK(decided(times(sooner, 1), never).verdict == Verdict::faster);
}

TEST_CASE("one pair has a ratio, but no interval and no verdict; none has nothing") {
  const PairedRatio one = decided(times({2}), times({6}));
  CHECK(one.ratio.value().value == Approx(3));
  CHECK_FALSE(one.ratio->interval);
  CHECK_FALSE(one.p_value);
  CHECK(one.verdict == Verdict::undecided);
  const PairedRatio none = decided({{0, {1, true}}}, {{1, {1, true}}});
  CHECK(none.pairs == 0);
  CHECK_FALSE(none.ratio);
}

TEST_CASE("a run that never arrives makes the ratio a bound, and a verdict possible") {
  // It arrives at 10, 11, 12; the other has not by 50, 44, 60: ratios of at least 5, 4, 5.
  const Arrivals mine = times({10, 11, 12});
  const Arrivals never = {{0, {50, false}}, {1, {44, false}}, {2, {60, false}}};
  const PairedRatio ratio = decided(mine, never);
  CHECK(ratio.bound == Bound::at_least);
  CHECK(ratio.ratio.value().value == Approx(std::cbrt(5 * 4 * 5)).epsilon(1e-14));
  CHECK(ratio.verdict == Verdict::faster);
  CHECK(ratio.inverse().bound == Bound::at_most);
  CHECK(decided(never, mine).bound == Bound::at_most);
  // Neither in one pair: that pair says nothing, in either direction.
  Arrivals sometimes = mine;
  sometimes[1] = {44, false};
  const PairedRatio mixed = decided(sometimes, never);
  CHECK(mixed.bound == Bound::mixed);
  CHECK(mixed.ratio.value().value == Approx(std::cbrt(5 * 1 * 5)).epsilon(1e-14));
  // Neither ever.
  CHECK_FALSE(decided(never, never).ratio);
  CHECK(decided(never, never).pairs == 3);
}

TEST_CASE("times are cut where it is no longer known of both") {
  // The other one ended at 20, before this one arrived at 30: nobody was first until then.
  const PairedRatio ratio =
      decided({{0, {30, true}}, {1, {10, true}}}, {{0, {20, false}}, {1, {40, true}}});
  CHECK(ratio.ratio.value().value == Approx(std::sqrt(1 * 4)).epsilon(1e-14));
  CHECK(ratio.bound == Bound::mixed);
}

TEST_CASE("a target reached at the very start has no ratio to anything") {
  const PairedRatio ratio = decided(times({0, 2}), times({0, 6}));
  CHECK(ratio.pairs == 1);
  CHECK(ratio.ratio.value().value == Approx(3));
}

TEST_CASE("p-values are corrected by Holm's method") {
  // Sorted 0.01, 0.02, 0.03, times 3, 2, 1, and never below the one before: 0.03, 0.04, 0.04.
  std::vector<PairedRatio> ratios(4);
  for (PairedRatio& ratio : ratios) ratio.ratio = Estimate{2, {}};
  ratios[0].p_value = 0.03;
  ratios[1].p_value = 0.01;
  ratios[2].p_value = 0.02;
  decide({&ratios[0], &ratios[1], &ratios[2], &ratios[3]});
  CHECK(ratios[1].p_holm.value() == Approx(0.03));
  CHECK(ratios[2].p_holm.value() == Approx(0.04));
  CHECK(ratios[0].p_holm.value() == Approx(0.04));
  CHECK_FALSE(ratios[3].p_holm);  // not tested, so not counted either
  CHECK(ratios[0].verdict == Verdict::faster);
  // 0.02 is below the level, 3 x 0.02 is not; what comes after it is not either.
  ratios.assign(3, PairedRatio{});
  for (PairedRatio& ratio : ratios) ratio.ratio = Estimate{0.5, {}};
  ratios[0].p_value = 0.02;
  ratios[1].p_value = 0.03;
  ratios[2].p_value = 0.04;
  decide({&ratios[0], &ratios[1], &ratios[2]});
  for (const PairedRatio& ratio : ratios) {
    CHECK(ratio.p_holm.value() == Approx(0.06));
    CHECK(ratio.verdict == Verdict::undecided);
  }
}

// ---- By simulation: log-normal times, of which the runs of a replica share a factor ----

constexpr double shared_sigma = 0.5;
constexpr double own_sigma = 0.3;
constexpr int trials = 4000;
constexpr std::uint64_t replicas = 5;

TargetArrival arrival_of(double time, double horizon) {
  return {std::min(time, horizon), time <= horizon};
}

/// By when this share of times with the median `median` has not arrived; `quantile` is that of the
/// standard normal law at 1 - share.
double horizon_of(double median, double quantile) {
  return median * std::exp(quantile * std::hypot(shared_sigma, own_sigma));
}

struct Sample {
  std::vector<Arrivals> algorithms;
};

Sample sample_of(RandomStream& random, const std::vector<double>& medians, double horizon,
                 std::uint64_t size) {
  Sample sample{std::vector<Arrivals>(medians.size())};
  for (std::uint64_t i = 0; i < size; ++i) {
    const double shared = std::exp(shared_sigma * standard_normal(random));
    for (std::size_t a = 0; a < medians.size(); ++a) {
      const double own = std::exp(own_sigma * standard_normal(random));
      sample.algorithms[a][i] = arrival_of(medians[a] * shared * own, horizon);
    }
  }
  return sample;
}

TEST_CASE("19 of 20 intervals contain the ratio of the cut times, whatever share is censored") {
  // A binomial share of 0.95 has a standard deviation of sqrt(0.95 * 0.05 / trials) = 0.0034.
  const double margin = 4 * std::sqrt(0.95 * 0.05 / trials);
  RandomStream random(1, Purpose::step_noise);
  // Quantiles of the normal law at 1, 0.7 and 0.4: none, 30 % and 60 % of the slower one's runs.
  for (const double quantile : {100.0, 0.5244, -0.2533}) {
    const double horizon = horizon_of(3, quantile);
    const Sample large = sample_of(random, {1, 3}, horizon, 200'000);
    const double truth =
        compare_arrivals(large.algorithms[0], large.algorithms[1]).ratio.value().value;
    int contained = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const Sample few = sample_of(random, {1, 3}, horizon, replicas);
      const PairedRatio ratio = compare_arrivals(few.algorithms[0], few.algorithms[1]);
      if (ratio.ratio && ratio.ratio->interval->contains(truth)) ++contained;
    }
    INFO("quantile of the horizon " << quantile << ", ratio " << truth);
    CHECK(static_cast<double>(contained) / trials == Approx(0.95).margin(margin));
    if (quantile == 100.0) CHECK(truth == Approx(3).epsilon(0.01));
  }
}

TEST_CASE(
    "of equal algorithms hardly any is called faster, with one pair or six, censored or not") {
  const double margin = 4 * std::sqrt(0.05 * 0.95 / trials);
  RandomStream random(2, Purpose::step_noise);
  for (const double quantile : {100.0, 0.5244, -0.2533}) {
    const double horizon = horizon_of(1, quantile);
    int wrong_alone = 0;
    int wrong_of_six = 0;
    int uncorrected = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const Sample few = sample_of(random, {1, 1, 1, 1}, horizon, replicas);
      std::vector<PairedRatio> ratios;
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = a + 1; b < 4; ++b) {
          ratios.push_back(compare_arrivals(few.algorithms[a], few.algorithms[b]));
        }
      }
      if (decided(few.algorithms[0], few.algorithms[1]).verdict != Verdict::undecided)
        ++wrong_alone;
      std::vector<PairedRatio*> all;
      bool any = false;
      for (PairedRatio& ratio : ratios) {
        all.push_back(&ratio);
        any = any || ratio.p_value.value_or(1) < 0.05;
      }
      decide(all);
      uncorrected += any ? 1 : 0;
      any = false;
      for (const PairedRatio& ratio : ratios) any = any || ratio.verdict != Verdict::undecided;
      wrong_of_six += any ? 1 : 0;
    }
    INFO("quantile of the horizon " << quantile);
    CHECK(static_cast<double>(wrong_alone) / trials <= 0.05 + margin);
    CHECK(static_cast<double>(wrong_of_six) / trials <= 0.05 + margin);
    // Without the correction it would be far more: the test can fail.
    if (quantile == 100.0) {
      CHECK(static_cast<double>(wrong_alone) / trials == Approx(0.05).margin(margin));
      CHECK(static_cast<double>(uncorrected) / trials > 0.12);
    }
  }
}

TEST_CASE("equal algorithms that are evaluated seldom, and at other times, are not told apart") {
  // Times about 1 that vary by 2 %, seen at multiples of 0.1 by one and half way between them by the
  // other: 1.0 or 1.1, as likely, against mostly 1.05. Of two replicas half see the same twice.
  constexpr double every = 0.1;
  RandomStream random(4, Purpose::step_noise);
  const auto seen = [&](double offset) {
    Arrivals arrivals;
    for (std::uint64_t i = 0; i < 2; ++i) {
      const double time = std::exp(0.02 * standard_normal(random));
      arrivals[i] = {std::ceil((time - offset) / every) * every + offset, true, every};
    }
    return arrivals;
  };
  int wrong = 0;
  int the_same_twice = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Arrivals mine = seen(0);
    const Arrivals others = seen(every / 2);
    if (mine.at(0).time_s == mine.at(1).time_s && others.at(0).time_s == others.at(1).time_s)
      ++the_same_twice;
    if (decided(mine, others).verdict != Verdict::undecided) ++wrong;
  }
  CHECK(the_same_twice > 400);
  CHECK(wrong <= 0.05 * 1000);
}

TEST_CASE(
    "a difference of three times is mostly found, though most of the slower runs never arrive") {
  RandomStream random(3, Purpose::step_noise);
  int found = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Sample few = sample_of(random, {1, 3}, horizon_of(3, -0.2533), replicas);
    const PairedRatio ratio = decided(few.algorithms[0], few.algorithms[1]);
    CHECK(ratio.verdict != Verdict::slower);
    if (ratio.verdict == Verdict::faster) ++found;
  }
  CHECK(found > 800);
}

TEST_CASE("how clear a difference must be follows from the replicas and the pairs") {
  // With two degrees of freedom P(|T| > t) = 1 - t / sqrt(2 + t^2), so that with q = 1 - p
  // t = sqrt(2 q^2 / (1 - q^2)); of three replicas the mean has 1/sqrt(3) of their deviation.
  const double q = 1 - 0.05 / 15;
  const double needed = deviations_to_decide(3, 15);
  CHECK(needed == Approx(std::sqrt(2 * q * q / (1 - q * q) / 3)).epsilon(1e-9));
  // Of 15 comparisons the clearest is decided a little above it, and not a little below.
  for (const double times : {0.999, 1.001}) {
    std::vector<PairedRatio> all(15);
    std::vector<PairedRatio*> pointers;
    for (PairedRatio& one : all) {
      one.ratio = Estimate{1, {}};
      one.p_value = 1;
      pointers.push_back(&one);
    }
    // The values m - 1, m, m + 1 have the standard deviation 1.
    const double m = times * needed;
    all[0].ratio->value = 2;
    all[0].p_value = p_value_of_zero_mean({m - 1, m, m + 1});
    decide(pointers);
    CHECK((all[0].verdict == Verdict::faster) == (times > 1));
  }
}

}  // namespace
}  // namespace motley
