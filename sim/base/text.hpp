#pragma once

#include <string>

namespace motley {

/// A text for a message: cut with "..." when it is longer than `longest` bytes, never inside a
/// character.
std::string shortened(const std::string& text, std::size_t longest = 60);

/// The text itself if it is UTF-8, as JSON must be; otherwise with U+FFFD for what is not.
std::string valid_utf8(const std::string& text);
bool is_utf8(const std::string& text);

}  // namespace motley
