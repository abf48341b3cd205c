#pragma once

#include <optional>
#include <string>

namespace motley {

/// How a run ended: as it should, with a loss out of bounds, or not at all.
enum class RunStatus { ok, diverged, failed };

/// "ok", "diverged", "failed": as files and tables have it.
std::string to_text(RunStatus status);
/// Empty when the text is none of these.
std::optional<RunStatus> run_status_of(const std::string& text);

}  // namespace motley
