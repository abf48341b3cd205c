#pragma once

#include <string>

namespace motley {

/// 32 hexadecimal digits that name a text, the same on every machine and in every version: a name
/// based UUID (SHA-1, RFC 4122) without its dashes.
std::string digest(const std::string& text);

}  // namespace motley
