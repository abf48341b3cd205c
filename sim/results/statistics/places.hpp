#pragma once

#include <vector>

#include "sim/results/statistics/comparison.hpp"

/// Who is first at a point of the sweep: the one place where that is ruled.
///
/// First come those of whose runs the largest share reached the target; of equal shares the lower mean
/// time; then, as where nobody reaches it or there is no target, the higher final accuracy, the lower
/// final loss, and the order of the scenario. A place is decided if comparisons.csv calls it faster
/// than every algorithm behind it; those of which no run can be compared with it do not count.
namespace motley {

/// Sets place and decided of the rows of one point, which are compared with each other already.
void set_places(std::vector<ComparisonRow*> rows);

}  // namespace motley
