#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace motley {

/// `total` in whole numbers in proportion to `shares`, by largest remainders, with at least one for
/// everybody: who would get none takes it from the largest. There must be as many as shares.
std::vector<std::size_t> apportioned_to_all(std::size_t total, std::span<const double> shares);

}  // namespace motley
