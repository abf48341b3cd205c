#pragma once

#include <string>

#include "sim/live/transport.hpp"

namespace motley {

/// Called by all ranks with what is wrong on each, if anything is: then the first one says it, and true is
/// returned everywhere.
bool is_refused(Transport& transport, const std::string& mistake);

}  // namespace motley
