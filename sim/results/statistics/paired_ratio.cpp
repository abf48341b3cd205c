#include "sim/results/statistics/paired_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace motley {
namespace {

constexpr double level = 0.05;
/// Pairs from which on it is no accident that always the same one arrives and the other does not.
constexpr std::size_t fewest_one_sided = 4;

struct Pair {
  double log_ratio = 0;
  double log_variance = 0;  // of times that lie anywhere within their resolution
  double later_by_s = 0;
  double my_resolution_s = 0;
  double other_resolution_s = 0;
  Bound bound = Bound::none;
  bool anybody_arrived = true;  // by the horizon
};

/// A time that is cut is known exactly.
double resolution_before(double horizon, const TargetArrival& arrival) {
  return arrival.arrived && arrival.time_s <= horizon ? arrival.resolution_s : 0;
}

Pair pair_of(const TargetArrival& mine, const TargetArrival& other) {
  double horizon = INFINITY;  // until when it is known of both
  if (!mine.arrived) horizon = std::min(horizon, mine.time_s);
  if (!other.arrived) horizon = std::min(horizon, other.time_s);
  const double my_time_s = std::min(mine.time_s, horizon);
  const double other_time_s = std::min(other.time_s, horizon);
  Pair pair;
  pair.log_ratio = std::log(other_time_s / my_time_s);
  pair.later_by_s = other_time_s - my_time_s;
  pair.my_resolution_s = resolution_before(horizon, mine);
  pair.other_resolution_s = resolution_before(horizon, other);
  const double my_part = pair.my_resolution_s / my_time_s;
  const double other_part = pair.other_resolution_s / other_time_s;
  pair.log_variance = (my_part * my_part + other_part * other_part) / 12;
  pair.anybody_arrived =
      (mine.arrived && mine.time_s <= horizon) || (other.arrived && other.time_s <= horizon);
  if (mine.arrived && other.arrived)
    pair.bound = Bound::none;
  else if (mine.arrived && mine.time_s <= horizon)
    pair.bound = Bound::at_least;
  else if (other.arrived && other.time_s <= horizon)
    pair.bound = Bound::at_most;
  else
    pair.bound = Bound::mixed;
  return pair;
}

Bound both(Bound a, Bound b) {
  if (a == Bound::none || a == b) return b;
  return b == Bound::none ? a : Bound::mixed;
}

/// Values that are the same but for rounding.
bool are_equal(const std::vector<double>& values) {
  constexpr double rounding = 1e-12;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least <= rounding;
}

Estimate exponential(const Estimate& logs) {
  Estimate ratio{std::exp(logs.value), std::nullopt};
  if (logs.interval) {
    ratio.interval = Interval{std::exp(logs.interval->low), std::exp(logs.interval->high)};
  }
  return ratio;
}

/// 0 of none.
double plain_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::string to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::undecided:
      return "undecided";
  }
  return "";
}

std::optional<Verdict> verdict_of(const std::string& text) {
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::undecided}) {
    if (to_text(verdict) == text) return verdict;
  }
  return std::nullopt;
}

std::string to_text(Bound bound) {
  switch (bound) {
    case Bound::none:
      return "";
    case Bound::at_least:
      return "at_least";
    case Bound::at_most:
      return "at_most";
    case Bound::mixed:
      return "mixed";
  }
  return "";
}

std::optional<Bound> bound_of(const std::string& text) {
  for (const Bound bound : {Bound::none, Bound::at_least, Bound::at_most, Bound::mixed}) {
    if (to_text(bound) == text) return bound;
  }
  return std::nullopt;
}

double PairedRatio::supported() const {
  if (ratio->interval && bound == Bound::at_least) return ratio->interval->low;
  if (ratio->interval && bound == Bound::at_most) return ratio->interval->high;
  return ratio->value;
}

PairedRatio PairedRatio::inverse() const {
  PairedRatio other = *this;
  other.later_by_s = -later_by_s;
  if (ratio) {
    other.ratio->value = 1 / ratio->value;
    if (ratio->interval) {
      other.ratio->interval = Interval{1 / ratio->interval->high, 1 / ratio->interval->low};
    }
  }
  if (bound == Bound::at_least) other.bound = Bound::at_most;
  if (bound == Bound::at_most) other.bound = Bound::at_least;
  if (verdict == Verdict::faster) other.verdict = Verdict::slower;
  if (verdict == Verdict::slower) other.verdict = Verdict::faster;
  return other;
}

PairedRatio compare_arrivals(const std::map<std::uint64_t, TargetArrival>& mine,
                             const std::map<std::uint64_t, TargetArrival>& others) {
  PairedRatio result;
  std::vector<double> logs;
  double log_variance = 0;
  std::vector<double> my_resolutions_s;  // of those that arrived
  std::vector<double> other_resolutions_s;
  bool anybody_arrived = false;
  std::size_t one_sided = 0;  // pairs in which the same one arrives and the other does not
  for (const auto& [replica, arrival] : mine) {
    const auto partner = others.find(replica);
    if (partner == others.end() || !(arrival.time_s > 0) || !(partner->second.time_s > 0)) continue;
    const Pair pair = pair_of(arrival, partner->second);
    logs.push_back(pair.log_ratio);
    log_variance += pair.log_variance;
    result.later_by_s += pair.later_by_s;
    if (pair.my_resolution_s > 0) my_resolutions_s.push_back(pair.my_resolution_s);
    if (pair.other_resolution_s > 0) other_resolutions_s.push_back(pair.other_resolution_s);
    result.bound = both(result.bound, pair.bound);
    const bool is_one_sided = pair.bound == Bound::at_least || pair.bound == Bound::at_most;
    if (is_one_sided && pair.bound == result.bound) ++one_sided;
    anybody_arrived = anybody_arrived || pair.anybody_arrived;
  }
  result.pairs = logs.size();
  if (!anybody_arrived) {
    result.bound = Bound::none;
    return result;
  }
  const auto n = static_cast<double>(logs.size());
  const double least_deviation = std::sqrt(log_variance / n);
  result.ratio = exponential(*mean_of(logs, Range::real, least_deviation));
  result.later_by_s /= n;
  const double mine_s = plain_mean(my_resolutions_s);
  const double others_s = plain_mean(other_resolutions_s);
  result.resolution_s = result.later_by_s > 0   ? others_s
                        : result.later_by_s < 0 ? mine_s
                                                : std::max(mine_s, others_s);
  if (logs.size() < 2) return result;
  if (least_deviation == 0 && are_equal(logs))
    result.ratio->interval.reset();
  else
    result.p_value = p_value_of_zero_mean(logs, least_deviation);
  if (one_sided == logs.size() && logs.size() >= fewest_one_sided) {
    result.p_value = std::min(result.p_value.value_or(1), 2 * std::pow(0.25, n));
  }
  return result;
}

double deviations_to_decide(std::size_t replicas, std::size_t comparisons) {
  return deviations_for_p_value(replicas, level / static_cast<double>(comparisons));
}

void decide(const std::vector<PairedRatio*>& comparisons) {
  std::vector<PairedRatio*> tested;
  for (PairedRatio* comparison : comparisons) {
    if (comparison->p_value) tested.push_back(comparison);
  }
  std::stable_sort(tested.begin(), tested.end(), [](const PairedRatio* a, const PairedRatio* b) {
    return *a->p_value < *b->p_value;
  });
  double largest = 0;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    PairedRatio& comparison = *tested[i];
    const auto left = static_cast<double>(tested.size() - i);
    largest = std::max(largest, std::min(1.0, left * *comparison.p_value));
    comparison.p_holm = largest;
    if (largest < level && !comparison.is_within_resolution()) {
      comparison.verdict = comparison.ratio->value > 1 ? Verdict::faster : Verdict::slower;
    }
  }
}

std::vector<PairedRatio> compare_all(
    const std::vector<std::map<std::uint64_t, TargetArrival>>& arrivals) {
  const std::size_t n = arrivals.size();
  std::vector<PairedRatio> results(n * n);
  std::vector<PairedRatio*> undecided;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      results[i * n + j] = compare_arrivals(arrivals[i], arrivals[j]);
      undecided.push_back(&results[i * n + j]);
    }
  }
  decide(undecided);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) results[i * n + j] = results[j * n + i].inverse();
  }
  return results;
}

}  // namespace motley
