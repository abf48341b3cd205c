#pragma once

#include <vector>

#include "sim/results/statistics/comparison.hpp"

/// Who is first at a point of the sweep: the one place where that is ruled.
///
/// The algorithm comes first whose runs reached the target in the largest share; of equal shares, the one
/// with the lower mean time. Where that decides nothing, as where no run reaches it or there is no target,
/// the higher final accuracy counts, then the lower final loss, then the order of the scenario. A place is
/// decided if comparisons.csv calls it faster than every lower-placed algorithm; those of which no run can
/// be compared with it do not count.
namespace motley {

/// Sets place and decided of the rows of one point, which are compared with each other already.
void set_places(std::vector<ComparisonRow*> rows);

}  // namespace motley
