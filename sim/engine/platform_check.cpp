#include "sim/engine/platform_check.hpp"

#include <cmath>
#include <set>
#include <sstream>

#include <simgrid/s4u.hpp>

#include "sim/engine/platform_profiles.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string host_flaw(const s4u::Host& host) {
  const std::string who = "host " + host.get_name() + ": ";
  if (!(host.get_speed() > 0) || !std::isfinite(host.get_speed())) {
    return who + "speed must be above 0 and finite, got " + number(host.get_speed()) + "f";
  }
  if (!host.is_on()) return who + "is off from the start, and failures are not modelled";
  return "";
}

std::string link_flaw(const s4u::Link& link) {
  const std::string which = "link " + link.get_name() + ": ";
  if (!(link.get_bandwidth() > 0) || !std::isfinite(link.get_bandwidth())) {
    return which + "bandwidth must be above 0 and finite, got " + number(link.get_bandwidth()) +
           "Bps";
  }
  if (!(link.get_latency() >= 0) || !std::isfinite(link.get_latency())) {
    return which + "latency must be at least 0 and finite, got " + number(link.get_latency()) + "s";
  }
  if (!link.is_on()) return which + "is off from the start, and failures are not modelled";
  return "";
}

std::string route_flaw(const s4u::Host* from, const s4u::Host* to,
                       const std::function<void(const std::string& text)>& asks) {
  const std::string no_route =
      "no route from host " + from->get_name() + " to host " + to->get_name();
  asks(no_route);
  std::vector<s4u::Link*> links;
  double latency = 0;
  try {
    from->route_to(to, links, &latency);
  } catch (const std::exception&) {
    return no_route;
  }
  return links.empty() ? no_route : "";
}

}  // namespace

std::string platform_flaw(const std::string& file, const std::vector<s4u::Host*>& participants,
                          const std::function<void(const std::string& text)>& asks) {
  std::string flaw;
  for (const s4u::Host* host : participants) {
    flaw = host_flaw(*host);
    if (!flaw.empty()) return flaw;
  }
  for (const s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    flaw = link_flaw(*link);
    if (!flaw.empty()) return flaw;
  }
  flaw = profile_flaw(file);
  constexpr std::size_t few = 64;
  const std::size_t count = participants.size();
  for (std::size_t i = 0; flaw.empty() && i < count; ++i) {
    std::set<std::size_t> others = {(i + 1) % count, count - 1};
    for (std::size_t j = 0; count <= few && j < count; ++j) others.insert(j);
    others.erase(i);
    for (const std::size_t j : others) {
      if (flaw.empty()) flaw = route_flaw(participants[i], participants[j], asks);
      if (flaw.empty()) flaw = route_flaw(participants[j], participants[i], asks);
    }
  }
  return flaw;
}

}  // namespace motley
