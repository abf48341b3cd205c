#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sim/scenario/state_profile.hpp"

namespace motley {

/// What the profiles of a platform file do over time that cannot be simulated, as "link l: latency_file:
/// latencies that change are not modelled"; empty when there is nothing. SimGrid does not tell
/// which profiles it has read, so the file itself is asked: state_file, speed_file, availability_file,
/// bandwidth_file and latency_file of any element, and the older <trace_connect>.
std::string profile_flaw(const std::filesystem::path& platform);

/// What must be asked before anything is read: why a file that a platform file names is none that can
/// be read to its end, as "host h: speed_file: is a FIFO ..."; empty when all can be.
std::string named_file_flaw(const std::filesystem::path& platform);

/// When hosts of a platform file that has no flaw go off, by their names; only of those that do.
std::map<std::string, StateProfile> host_states(const std::filesystem::path& platform);

/// The files that a platform file reads profiles from, in its order.
std::vector<std::filesystem::path> files_named_in(const std::filesystem::path& platform);

}  // namespace motley
