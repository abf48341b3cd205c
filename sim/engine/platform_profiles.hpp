#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace motley {

/// What the profiles of a platform file do over time that cannot be simulated, as "host h: is
/// switched off by its state profile, ..."; empty when there is nothing. SimGrid does not tell
/// which profiles it has read, so the file itself is asked, and those it includes: state_file,
/// speed_file, availability_file, bandwidth_file and latency_file of any element, and the older
/// <trace_connect>.
std::string profile_flaw(const std::filesystem::path& platform);

/// The files that a platform file includes or reads profiles from, in its order.
std::vector<std::filesystem::path> files_named_in(const std::filesystem::path& platform);

}  // namespace motley
