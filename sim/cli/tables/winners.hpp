#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/results/statistics/comparison.hpp"

namespace motley {

/// A table of more rows than this is no answer on a terminal.
inline constexpr std::size_t screenful = 40;

/// What a long table comes down to: who is first at each point, how far ahead of the second, and
/// whether the replicas decide that it is first; and how often each is first. Beyond a screenful of points only the
/// latter. `rows` are in the order of the table: the best of a point comes first.
void print_winners(std::ostream& out, const std::vector<const ComparisonRow*>& rows,
                   const std::vector<std::string>& axis_names, bool has_target, bool has_accuracy);

}  // namespace motley
