#include "sim/engine/platform/simgrid_version.hpp"

#include <simgrid/config.h>
#include <simgrid/forward.h>
#include <simgrid/version.h>

namespace motley {

std::string simgrid_version() {
  return std::to_string(SIMGRID_VERSION_MAJOR) + "." + std::to_string(SIMGRID_VERSION_MINOR) + "." +
         std::to_string(SIMGRID_VERSION_PATCH);
}

}  // namespace motley
