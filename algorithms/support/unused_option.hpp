#pragma once

#include "sim/base/place.hpp"

namespace motley {

/// InputError at `place` when an option was given that nothing will read: it is only for `what`.
inline void refuse_unused(bool given, const Place& place, const char* what) {
  if (given) throw InputError(place, std::string("is only for ") + what + ": remove it");
}

}  // namespace motley
