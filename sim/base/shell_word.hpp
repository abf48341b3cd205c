#pragma once

#include <string>

namespace motley {

/// The word as it is to be typed for a shell: in quotes where it needs them.
std::string shell_quoted(const std::string& word);

}  // namespace motley
