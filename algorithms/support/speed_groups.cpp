#include "algorithms/support/speed_groups.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace motley {
namespace {

/// Neighbours in the order of speed.
struct SpeedGroup {
  std::size_t begin;
  std::size_t end;
  double midpoint;
};
using SpeedGroups = std::vector<SpeedGroup>;

/// Whose successor has the nearest midpoint; there must be two.
std::size_t nearest_to_next(const SpeedGroups& groups) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    const double gap = groups[i + 1].midpoint - groups[i].midpoint;
    if (gap >= least) continue;
    least = gap;
    best = i;
  }
  return best;
}

void merge_with_next(SpeedGroups& groups, std::size_t i) {
  groups[i].end = groups[i + 1].end;
  groups[i].midpoint = (groups[i].midpoint + groups[i + 1].midpoint) / 2;
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i) + 1);
}

/// Sum of squared distances to the mean.
double spread(std::span<const double> speeds) {
  const double mean =
      std::accumulate(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
  double sum = 0;
  for (const double speed : speeds) sum += (speed - mean) * (speed - mean);
  return sum;
}

double calinski_harabasz(std::span<const double> sorted, const SpeedGroups& groups) {
  double inside = 0;
  for (const SpeedGroup& group : groups) {
    const std::span<const double> members = sorted.subspan(group.begin, group.end - group.begin);
    if (members.front() < members.back()) inside += spread(members);
  }
  if (inside == 0) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(sorted.size());
  const auto k = static_cast<double>(groups.size());
  return ((spread(sorted) - inside) / (k - 1)) / (inside / (n - k));
}

SpeedGroups so_many_groups(SpeedGroups groups, std::size_t count) {
  while (groups.size() > 1) {
    const std::size_t i = nearest_to_next(groups);
    const bool equal = groups[i].midpoint == groups[i + 1].midpoint;
    if (groups.size() <= count && !equal) break;
    merge_with_next(groups, i);
  }
  return groups;
}

SpeedGroups best_groups(std::span<const double> sorted, SpeedGroups groups) {
  SpeedGroups one = so_many_groups(groups, 1);
  if (sorted.size() < 3 || sorted.front() == sorted.back()) return one;
  SpeedGroups best = one;
  double best_ratio = -1;
  // From many groups to few, so that the fewest of equally good ones stays.
  for (merge_with_next(groups, nearest_to_next(groups)); groups.size() >= 2;
       merge_with_next(groups, nearest_to_next(groups))) {
    const double ratio = calinski_harabasz(sorted, groups);
    if (ratio < best_ratio) continue;
    best_ratio = ratio;
    best = groups;
  }
  return best;
}

}  // namespace

std::vector<std::size_t> group_by_speed(std::span<const double> speeds,
                                        std::optional<std::size_t> count) {
  std::vector<std::size_t> by_speed(speeds.size());
  std::iota(by_speed.begin(), by_speed.end(), std::size_t{0});
  std::ranges::stable_sort(by_speed, {}, [&](std::size_t i) { return speeds[i]; });
  std::vector<double> sorted;
  SpeedGroups each;
  for (std::size_t i = 0; i < by_speed.size(); ++i) {
    sorted.push_back(speeds[by_speed[i]]);
    each.push_back({i, i + 1, sorted.back()});
  }
  const SpeedGroups found = count ? so_many_groups(each, *count) : best_groups(sorted, each);
  std::vector<std::size_t> groups(speeds.size());
  for (std::size_t g = 0; g < found.size(); ++g) {
    for (std::size_t i = found[g].begin; i < found[g].end; ++i) {
      groups[by_speed[i]] = found.size() - 1 - g;
    }
  }
  return groups;
}

}  // namespace motley
