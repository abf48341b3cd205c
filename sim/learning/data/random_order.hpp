#pragma once

#include <cstddef>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/learning/data/sample.hpp"

namespace motley {

/// 0 ... count-1 in a random order, the same on every platform (std::shuffle's is not).
std::vector<Sample> random_order(std::size_t count, RandomStream stream);

}  // namespace motley
