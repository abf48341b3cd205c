#pragma once

#include <functional>
#include <simgrid/forward.h>
#include <string>
#include <vector>

namespace motley {

/// What a platform file describes that cannot be simulated, as "host h: what must hold, got value";
/// empty when there is nothing. Looks at the speeds of the participants, at all links, at the
/// profiles, and at the routes: between all participants up to 256 of them, else between neighbours
/// in this order and to and from all servers and the first worker.
///
/// SimGrid may crash on a route that does not exist, so `asks(text)` is told beforehand what a
/// crash would mean. Call it in a process of its own, with the platform loaded.
std::string platform_flaw(const std::string& file, const std::vector<simgrid::s4u::Host*>& workers,
                          const std::vector<simgrid::s4u::Host*>& servers,
                          const std::function<void(const std::string& text)>& asks);

}  // namespace motley
