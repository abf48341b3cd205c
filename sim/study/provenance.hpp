#pragma once

#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// "motley 0.2.0 (commit)".
std::string version_line();

/// This program as a finished run of the algorithm remembers it. Two programs give the same results
/// when their builds, their "sources" and their "algorithm" agree: digests of everything that all
/// results depend on, and of the algorithm's own files.
Json this_program(const std::string& algorithm);
/// Of that, what two programs must share to give the same results.
Json what_decides_results(const std::string& algorithm);
/// How the program that made a run of the algorithm differs from this one.
enum class Maker { same, other_algorithm, other_program };
Maker maker_of(const Json& program, const std::string& algorithm);
/// "0.2.0 (commit)".
std::string shown_program(const Json& program);

/// What produced a result: version, commit, compiler, flags, libraries, command, host CPU.
Json provenance(const std::vector<std::string>& command);

}  // namespace motley
