#pragma once

#include <iosfwd>
#include <vector>

#include "sim/results/tables/limits_table.hpp"

namespace motley {

/// What the cluster allows, what theory says of it, and how many times longer every algorithm took; of a
/// study without a sweep. Nothing when there are no rows.
void print_limits(std::ostream& out, const std::vector<LimitRow>& rows, std::size_t workers);

}  // namespace motley
