#pragma once

#include <ostream>

#include "sim/study/study.hpp"

namespace motley {

/// What was chosen for whom, and of how many values of its grid and beyond it; nothing when nothing was tuned. Whose choice is at the edge of its grid
/// is among the warnings of the table.
void print_tuning(std::ostream& out, const Study& study);

}  // namespace motley
