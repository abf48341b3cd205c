#pragma once

#include <filesystem>

namespace motley {

/// Whether a results folder is of simulated runs or of live ones, which do not mix.
enum class ResultsKind { simulated, live, unknown };

/// By the first finished run of its plan; unknown while there is none.
ResultsKind kind_of_results(const std::filesystem::path& folder);

/// InputError, for --out, where the folder holds results of the other kind.
void refuse_other_kind(const std::filesystem::path& folder, ResultsKind wanted);

}  // namespace motley
