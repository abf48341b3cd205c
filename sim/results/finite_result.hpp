#pragma once

#include <string>

#include "sim/results/run_result.hpp"

namespace motley {

/// The name of a number of the result that is not finite, such as "virtual_s" or "bytes of link
/// server_up"; empty when all are. Losses may be: that is for the recorder to call diverged.
std::string first_not_finite(const RunResult& result);

/// The result; or, if it has such a number, one that has failed and says which. What is not finite can
/// be written to no file, and the other runs of a study go on.
RunResult failed_unless_finite(const RunResult& result);

}  // namespace motley
