#pragma once

#include <simgrid/forward.h>
#include <string>

namespace motley {

/// Lets SimGrid load a platform file, but for the state_files of its hosts: a host that SimGrid switches
/// off takes its actors with it, and what becomes of them is for MachineFailures to say.
void load_platform(const simgrid::s4u::Engine& engine, const std::string& file);

}  // namespace motley
