#pragma once

#include <string>
#include <vector>

#include "sim/core/input/place.hpp"
#include "sim/core/json.hpp"

namespace motley {

/// "motley 0.1.0 (commit)".
std::string version_line();

/// This program as every finished run remembers it. Two programs give the same results when their
/// "sources" agree: a digest of everything the results depend on.
Json this_program();
bool same_program(const Json& program);
/// "0.1.0 (commit)".
std::string shown_program(const Json& program);

/// What produced a result: version, commit, compiler, flags, libraries, command, host CPU.
Json provenance(const std::vector<std::string>& command);

}  // namespace motley
