#pragma once

#include <ostream>

#include "sim/study/study.hpp"

namespace motley {

/// What was chosen for whom, and loudly who would have wanted a value beyond its grid. Nothing when
/// nothing was tuned.
void print_tuning(std::ostream& out, const Study& study);

}  // namespace motley
