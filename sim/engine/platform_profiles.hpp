#pragma once

#include <filesystem>
#include <string>

namespace motley {

/// What the profiles of a platform file, by which speeds, bandwidths, latencies and states change
/// during a run, hold that cannot be simulated: "link l: bandwidth_file 'f': must be above 0, got 0
/// at 1.5 s". Empty when there is nothing. SimGrid does not tell which profiles it has read, so the
/// file itself is read, with those it includes; SimGrid must have accepted it.
std::string profile_flaw(const std::filesystem::path& platform_file);

}  // namespace motley
