#include "sim/scenario/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/base/random_laws.hpp"

namespace motley {
namespace {

std::size_t slow_workers(const SpreadSpec& spread, std::size_t workers) {
  return static_cast<std::size_t>(std::lround(spread.slow_share * static_cast<double>(workers)));
}

/// tau of the i-th of so many workers.
double step_time(const SpreadSpec& spread, std::size_t i, std::size_t workers, std::uint64_t seed,
                 std::uint32_t class_index) {
  using Law = SpreadSpec::Law;
  RandomStream random(seed, Purpose::worker_speed, static_cast<std::uint32_t>(i), class_index);
  switch (spread.law) {
    case Law::ratio:
      return i < workers - slow_workers(spread, workers) ? 1 : spread.ratio;
    case Law::linear:
      return static_cast<double>(i + 1);
    case Law::sqrt:
      return std::sqrt(static_cast<double>(i + 1));
    case Law::straggler:
      return i + 1 < workers ? 1 : spread.factor;
    case Law::lognormal:
      return std::exp(spread.sigma * standard_normal(random));
    case Law::pareto:
      return pareto(random, spread.alpha);
    case Law::list:
      return 1 / spread.speeds[i];
  }
  return 1;
}

}  // namespace

Fields<SpreadSpec> SpreadSpec::fields() {
  Fields<SpreadSpec> f;
  f.add({.name = "law",
         .doc = "of the relative step times tau_i, i = 1..count: ratio (the last slow_share of the "
                "workers are ratio times slower), linear (tau_i = i), sqrt (tau_i = sqrt(i)), "
                "straggler (the last worker alone is slower), lognormal (ln tau is normal), pareto "
                "(tau of at least 1 with a heavy tail), list (speeds)",
         .choices = {"ratio", "linear", "sqrt", "straggler", "lognormal", "pareto", "list"}},
        &SpreadSpec::law);
  f.add({.name = "ratio",
         .doc = "how many times slower the slow workers are",
         .minimum = 1,
         .kinds = {"ratio"}},
        &SpreadSpec::ratio);
  f.add({.name = "slow_share",
         .doc = "share of the workers that are slow, rounded to a whole number of them (half up)",
         .fallback = 0.5,
         .minimum = 0,
         .maximum = 1,
         .kinds = {"ratio"}},
        &SpreadSpec::slow_share);
  f.add({.name = "factor",
         .doc = "how many times slower the straggler is",
         .minimum = 1,
         .kinds = {"straggler"}},
        &SpreadSpec::factor);
  f.add({.name = "sigma",
         .doc = "standard deviation of ln tau",
         .minimum = 0,
         .kinds = {"lognormal"}},
        &SpreadSpec::sigma);
  f.add({.name = "alpha",
         .doc = "tail index: P(tau > x) = x^-alpha; small values give very slow workers",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"pareto"}},
        &SpreadSpec::alpha);
  f.add({.name = "speeds",
         .doc = "relative speeds, one per worker; only their ratios count",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"list"}},
        &SpreadSpec::speeds);
  f.add({.name = "keep",
         .doc = "what the class's speed says: fastest (the fastest worker has it) or total (the "
                "mean speed is it, so that the class as a whole is as fast for every spread)",
         .fallback = "fastest",
         .choices = {"fastest", "total"}},
        &SpreadSpec::keep);
  return f;
}

void check_spread(const SpreadSpec& spread, std::size_t workers, const Place& place) {
  if (spread.law == SpreadSpec::Law::list && spread.speeds.size() != workers) {
    throw InputError(place / "speeds", "must have one speed for each of the " +
                                           std::to_string(workers) + " workers, has " +
                                           std::to_string(spread.speeds.size()));
  }
  if (spread.law == SpreadSpec::Law::straggler && workers == 1) {
    throw InputError(place / "law", "straggler needs more than the one worker of its class");
  }
  const double share = spread.slow_share;
  if (spread.law == SpreadSpec::Law::ratio && share > 0 && share < 1) {
    const std::size_t slow = slow_workers(spread, workers);
    if (slow == 0 || slow == workers) {
      throw InputError(place / "slow_share",
                       std::string("makes ") + (slow == 0 ? "none" : "all") + " of the " +
                           std::to_string(workers) +
                           " workers slow: " + (slow == 0 ? "raise" : "lower") + " it, or say " +
                           (slow == 0 ? "0" : "1"),
                       Json(share));
    }
  }
}

std::vector<double> spread_speeds(const SpreadSpec& spread, std::size_t workers, std::uint64_t seed,
                                  std::uint32_t class_index) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < workers; ++i) {
    speeds.push_back(1 / step_time(spread, i, workers, seed, class_index));
  }
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  const double mean =
      std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(workers);
  for (double& speed : speeds) speed /= spread.keep == SpreadSpec::Keep::fastest ? fastest : mean;
  return speeds;
}

Heterogeneity heterogeneity(const std::vector<double>& speeds) {
  if (speeds.empty()) return {};
  const auto [slowest, fastest] = std::minmax_element(speeds.begin(), speeds.end());
  const auto n = static_cast<double>(speeds.size());
  // Around the slowest, so that equal speeds give exactly equal means and no deviation.
  double above = 0;
  for (const double speed : speeds) above += speed - *slowest;
  const double mean = *slowest + above / n;
  double squares = 0;
  for (const double speed : speeds) squares += (speed - mean) * (speed - mean);
  return {*fastest / *slowest, std::sqrt(squares / n) / mean, *slowest / mean};
}

}  // namespace motley
