#pragma once

#include <string>

namespace motley {

/// How long something takes, for people: "3 h 20 min", "2 min 5 s", "12 s", "0.4 s".
std::string duration(double seconds);

}  // namespace motley
