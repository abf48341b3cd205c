#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace motley {

/// The group of each worker, 0 for the fastest one, from their speeds: the two groups whose midpoints are
/// nearest are merged, again and again, and the midpoint of both is halfway between theirs (midpoint
/// linkage). It ends with `count` groups, or fewer where there are not so many different speeds.
///
/// Without `count`, as many as have the largest Calinski-Harabasz ratio [SSB/(k-1)] / [SSW/(W-k)] of
/// k in 2..W-1, the smallest k of several; one group when all speeds are equal or there are fewer than
/// three workers. It is for speeds without noise: of measured ones the nearest two are always so close that the
/// ratio likes many groups.
std::vector<std::size_t> group_by_speed(std::span<const double> speeds,
                                        std::optional<std::size_t> count);

}  // namespace motley
