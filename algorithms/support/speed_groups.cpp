#include "algorithms/support/speed_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace motley {
namespace {

/// A stretch of the sorted speeds, with prefix sums to get its centre and spread from.
class Sorted {
 public:
  explicit Sorted(std::span<const double> values) : values_(values.begin(), values.end()) {
    std::sort(values_.begin(), values_.end());
    // About the mean, so that nearly equal speeds lose no digits.
    mean_ =
        std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
    sums_.push_back(0);
    squares_.push_back(0);
    for (const double value : values_) {
      const double d = value - mean_;
      sums_.push_back(sums_.back() + d);
      squares_.push_back(squares_.back() + d * d);
    }
  }

  std::size_t size() const { return values_.size(); }
  double operator[](std::size_t i) const { return values_[i]; }
  double centre(std::size_t begin, std::size_t end) const {
    return mean_ + (sums_[end] - sums_[begin]) / static_cast<double>(end - begin);
  }
  /// Sum of squared distances to the centre.
  double spread(std::size_t begin, std::size_t end) const {
    if (values_[begin] == values_[end - 1]) return 0;
    const double sum = sums_[end] - sums_[begin];
    return std::max(0.0,
                    squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin));
  }

 private:
  std::vector<double> values_;
  double mean_ = 0;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

/// Where each group ends in the sorted order.
using Ends = std::vector<std::size_t>;

/// Merges the two neighbours whose merger adds the least spread.
void merge_nearest(const Sorted& speeds, Ends& ends) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    const double added = speeds.spread(begin, ends[i + 1]) - speeds.spread(begin, ends[i]) -
                         speeds.spread(ends[i], ends[i + 1]);
    if (added < least) {
      least = added;
      best = i;
    }
  }
  ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best));
}

double spread_inside(const Sorted& speeds, const Ends& ends) {
  double sum = 0;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    sum += speeds.spread(begin, end);
    begin = end;
  }
  return sum;
}

Ends k_means(const Sorted& speeds, Ends ends) {
  for (;;) {
    Ends next;
    for (std::size_t g = 0; g + 1 < ends.size(); ++g) {
      const double here = speeds.centre(g == 0 ? 0 : ends[g - 1], ends[g]);
      const double there = speeds.centre(ends[g], ends[g + 1]);
      std::size_t end = next.empty() ? 1 : next.back() + 1;  // nobody is left without a member
      const std::size_t most = speeds.size() - (ends.size() - 1 - g);
      while (end < most && speeds[end] - here < there - speeds[end]) ++end;
      next.push_back(end);
    }
    next.push_back(speeds.size());
    // Rounding must not make it go round in circles.
    if (!(spread_inside(speeds, next) < spread_inside(speeds, ends))) return ends;
    ends = std::move(next);
  }
}

Ends best_ends(const Sorted& speeds, std::optional<std::size_t> count) {
  const std::size_t n = speeds.size();
  Ends merged(n);
  std::iota(merged.begin(), merged.end(), std::size_t{1});
  if (count) {
    while (merged.size() > *count) merge_nearest(speeds, merged);
    return k_means(speeds, merged);
  }
  const double total = speeds.spread(0, n);
  Ends best = {n};
  if (n < 3 || total == 0) return best;
  double best_ratio = -1;
  // From many groups to few, so that the fewest of equally good ones stays.
  for (merge_nearest(speeds, merged); merged.size() >= 2; merge_nearest(speeds, merged)) {
    const Ends ends = k_means(speeds, merged);
    const auto k = static_cast<double>(ends.size());
    const double inside = spread_inside(speeds, ends);
    const double between = total - inside;
    const double ratio = inside == 0
                             ? std::numeric_limits<double>::infinity()
                             : (between / (k - 1)) / (inside / (static_cast<double>(n) - k));
    if (ratio >= best_ratio) {
      best_ratio = ratio;
      best = ends;
    }
  }
  return best;
}

}  // namespace

std::vector<std::size_t> group_by_speed(std::span<const double> speeds,
                                        std::optional<std::size_t> count) {
  const Ends ends = best_ends(Sorted(speeds), count);
  std::vector<std::size_t> by_speed(speeds.size());
  std::iota(by_speed.begin(), by_speed.end(), std::size_t{0});
  std::stable_sort(by_speed.begin(), by_speed.end(),
                   [&](std::size_t a, std::size_t b) { return speeds[a] < speeds[b]; });
  std::vector<std::size_t> groups(speeds.size());
  std::size_t group = 0;
  for (std::size_t i = 0; i < by_speed.size(); ++i) {
    if (i == ends[group]) ++group;
    groups[by_speed[i]] = ends.size() - 1 - group;
  }
  return groups;
}

}  // namespace motley
