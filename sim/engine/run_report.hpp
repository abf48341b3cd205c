#pragma once

#include "sim/engine/world.hpp"

namespace motley {

/// The result of a run that is over.
RunResult report_of(World& world);

}  // namespace motley
