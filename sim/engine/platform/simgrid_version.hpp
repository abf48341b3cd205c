#pragma once

#include <string>

namespace motley {

/// Of the SimGrid this was built with: "3.32.0".
std::string simgrid_version();

}  // namespace motley
