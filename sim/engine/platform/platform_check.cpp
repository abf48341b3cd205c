#include "sim/engine/platform/platform_check.hpp"

#include <sstream>
#include <utility>

#include <simgrid/s4u.hpp>

#include "sim/engine/platform/host_route.hpp"
#include "sim/engine/platform/platform_profiles.hpp"
#include "sim/scenario/units.hpp"

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
  if (!is_sane(host.get_speed(), Dimension::speed)) {
    return who + "speed must be " + sane_range(Dimension::speed) + ", got " +
           number(host.get_speed()) + "f";
  }
  return "";
}

std::string link_flaw(const s4u::Link& link) {
  const std::string which = "link " + link.get_name() + ": ";
  if (link.get_sharing_policy() == s4u::Link::SharingPolicy::WIFI) {
    return which + "sharing policy WIFI is not modelled: use SHARED, FATPIPE or SPLITDUPLEX";
  }
  if (!is_sane(link.get_bandwidth(), Dimension::rate)) {
    return which + "bandwidth must be " + sane_range(Dimension::rate) + ", got " +
           number(link.get_bandwidth()) + "Bps";
  }
  if (link.get_latency() != 0 && !is_sane(link.get_latency(), Dimension::time)) {
    return which + "latency must be 0, or " + sane_range(Dimension::time) + ", got " +
           number(link.get_latency()) + "s";
  }
  if (!link.is_on()) return which + "is off from the start, which is not modelled";
  return "";
}

/// How many participants are asked pair by pair, and each pair told beforehand.
constexpr std::size_t most_told = 64;
/// How many are asked pair by pair at all; beyond, a missing route is found when it is first used.
constexpr std::size_t most_paired = 256;

/// Of the routes between these, there and back.
std::string route_flaw(const std::vector<s4u::Host*>& participants,
                       const std::vector<s4u::Host*>& servers,
                       const std::function<void(const std::string& text)>& asks) {
  const bool each_told = participants.size() <= most_told;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    const s4u::Host* from = participants[i];
    const auto next = participants.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    std::vector<s4u::Host*> others(next, participants.end());
    if (!each_told) asks("no route between host " + from->get_name() + " and another one");
    if (participants.size() > most_paired) {
      others = servers;
      others.push_back(participants.front());
      others.push_back(participants[(i + 1) % participants.size()]);
    }
    for (const s4u::Host* to : others) {
      if (to == from) continue;
      for (const auto& [a, b] : {std::pair(from, to), std::pair(to, from)}) {
        if (each_told) asks(no_route(*a, *b));
        if (links_between(*a, *b).empty()) return no_route(*a, *b);
      }
    }
  }
  return "";
}

}  // namespace

std::string platform_flaw(const std::string& file, const std::vector<s4u::Host*>& workers,
                          const std::vector<s4u::Host*>& servers,
                          const std::function<void(const std::string& text)>& asks) {
  std::vector<s4u::Host*> participants = workers;
  participants.insert(participants.end(), servers.begin(), servers.end());
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
  return flaw.empty() ? route_flaw(participants, servers, asks) : flaw;
}

}  // namespace motley
