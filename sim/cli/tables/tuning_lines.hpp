#pragma once

#include <ostream>

#include "sim/study/study.hpp"

namespace motley {

/// What was chosen for each algorithm, and from how many values of its grid and beyond it; nothing when
/// nothing was tuned. Choices at the edge of a grid are among the warnings of the table.
void print_tuning(std::ostream& out, const Study& study);

}  // namespace motley
