#include "sim/results/statistics/paired_ratio.hpp"

#include <algorithm>
#include <cmath>

namespace motley {
namespace {

constexpr double level = 0.05;

struct Pair {
  double log_ratio = 0;
  Bound bound = Bound::none;
  bool anybody_arrived = true;
};

Pair pair_of(const TargetArrival& mine, const TargetArrival& other) {
  double horizon = INFINITY;  // until when it is known of both
  if (!mine.arrived) horizon = std::min(horizon, mine.time_s);
  if (!other.arrived) horizon = std::min(horizon, other.time_s);
  Pair pair;
  pair.log_ratio = std::log(std::min(other.time_s, horizon) / std::min(mine.time_s, horizon));
  pair.anybody_arrived = mine.arrived || other.arrived;
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

Estimate exponential(const Estimate& logs) {
  Estimate ratio{std::exp(logs.value), std::nullopt};
  if (logs.interval) {
    ratio.interval = Interval{std::exp(logs.interval->low), std::exp(logs.interval->high)};
  }
  return ratio;
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

PairedRatio PairedRatio::inverse() const {
  PairedRatio other = *this;
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
  bool anybody_arrived = false;
  for (const auto& [replica, arrival] : mine) {
    const auto partner = others.find(replica);
    if (partner == others.end() || !(arrival.time_s > 0) || !(partner->second.time_s > 0)) continue;
    const Pair pair = pair_of(arrival, partner->second);
    logs.push_back(pair.log_ratio);
    result.bound = both(result.bound, pair.bound);
    anybody_arrived = anybody_arrived || pair.anybody_arrived;
  }
  result.pairs = logs.size();
  if (!anybody_arrived) {
    result.bound = Bound::none;
    return result;
  }
  result.ratio = exponential(*mean_of(logs));
  if (logs.size() > 1) result.p_value = p_value_of_zero_mean(logs);
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
    if (largest < level) {
      comparison.verdict = comparison.ratio->value > 1 ? Verdict::faster : Verdict::slower;
    }
  }
}

}  // namespace motley
