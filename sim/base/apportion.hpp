#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace motley {

/// `total` split into whole numbers in proportion to `shares` (of any sum above 0): rounded down,
/// then one more for the largest remainders, the first among equal ones.
std::vector<std::size_t> apportioned(std::size_t total, std::span<const double> shares);

}  // namespace motley
