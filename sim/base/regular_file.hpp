#pragma once

#include <filesystem>
#include <string>

namespace motley {

/// Why a file cannot be read from beginning to end: there is none, or it is a folder, a device, a
/// FIFO, a socket (links are followed). Empty when it is a regular file.
std::string why_not_regular(const std::filesystem::path& file);

}  // namespace motley
