#include "sim/engine/platform/host_route.hpp"

#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

namespace motley {

std::vector<s4u::Link*> links_between(const s4u::Host& from, const s4u::Host& to) {
  std::vector<s4u::Link*> links;
  double latency = 0;
  try {
    from.route_to(&to, links, &latency);
  } catch (const std::exception&) {
    links.clear();
  }
  return links;
}

std::string no_route(const s4u::Host& from, const s4u::Host& to) {
  return "no route from host " + from.get_name() + " to host " + to.get_name();
}

}  // namespace motley
