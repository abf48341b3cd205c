#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace motley {

/// The group of each worker, 0 for the fastest one, from their speeds. k-means in one dimension,
/// its centres those of an agglomerative clustering (neighbours merged by Ward's criterion) into as
/// many groups. Without `count`, the count in 2..W-1 with the largest Calinski-Harabasz ratio
/// [SSB/(k-1)] / [SSW/(W-k)], the smallest of several; one group when all speeds are equal or there
/// are fewer than three workers. (The ratio likes many groups when a few speeds happen to be very
/// close to each other; that is the published criterion.)
std::vector<std::size_t> group_by_speed(std::span<const double> speeds,
                                        std::optional<std::size_t> count);

}  // namespace motley
