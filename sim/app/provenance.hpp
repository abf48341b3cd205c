#pragma once

#include <string>
#include <vector>

#include "sim/core/input/place.hpp"

namespace motley {

/// "motley 0.1.0 (commit)".
std::string version_line();

/// What produced a result: version, commit, compiler, flags, libraries, command, host CPU.
Json provenance(const std::vector<std::string>& command);

}  // namespace motley
