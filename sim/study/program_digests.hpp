#pragma once

#include <string>

namespace motley {

/// What is being built, by digests of its sources; see write_commit.cmake. Changes with every edit, so
/// nothing else is compiled together with it.
std::string program_commit();
/// Of everything that all results depend on.
std::string results_digest();
/// Of what asks what-if questions.
std::string whatif_digest();
/// Of the algorithm's own files; "unknown" for one that is not in the catalogue.
std::string algorithm_digest(const std::string& name);

}  // namespace motley
