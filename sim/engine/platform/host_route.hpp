#pragma once

#include <simgrid/forward.h>
#include <string>
#include <vector>

namespace motley {

/// The links from one host to another; empty when there is no route, where SimGrid says so. Some kinds
/// of zones crash instead.
std::vector<simgrid::s4u::Link*> links_between(const simgrid::s4u::Host& from,
                                               const simgrid::s4u::Host& to);

/// "no route from host a to host b".
std::string no_route(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to);

}  // namespace motley
