#pragma once

/// What SimGrid calls differently in its third and fourth generation (Debian 12 has 3.32, Debian 13
/// has 4.0). Everything else of the engine is written in what both have in common.

#include <functional>
#include <simgrid/forward.h>
#include <simgrid/version.h>
#include <string>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>
#if SIMGRID_VERSION >= 40000
#include <simgrid/simcall.hpp>  // simcall_answered
#else
#include <simgrid/simix.hpp>  // simcall_answered
#endif

namespace motley::generation {

namespace s4u = simgrid::s4u;

/// The option of how near to each other events are simultaneous, in seconds.
#if SIMGRID_VERSION >= 40000
inline constexpr const char* precision_option = "precision/timing";
#else
inline constexpr const char* precision_option = "surf/precision";
#endif

/// Calls back at the moment a communication ends. In the third generation other activities' ends
/// are signalled, too: the callback must tell its own by their data.
inline void on_completion(const std::function<void(const s4u::Activity&)>& callback) {
#if SIMGRID_VERSION >= 40000
  s4u::Comm::on_completion_cb(callback);
#else
  s4u::Activity::on_completion_cb(callback);
#endif
}

/// Calls back when a host has gone off or on.
inline void on_switch(const std::function<void(const s4u::Host&)>& callback) {
#if SIMGRID_VERSION >= 40000
  s4u::Host::on_onoff_cb(callback);
#else
  s4u::Host::on_state_change_cb(callback);
#endif
}

/// Inside `parent`; nullptr: around all others.
inline s4u::NetZone* add_star_zone(const std::string& name, s4u::NetZone* parent = nullptr) {
#if SIMGRID_VERSION >= 40000
  if (parent == nullptr) parent = s4u::Engine::get_instance()->get_netzone_root();
  return parent->add_netzone_star(name);
#else
  s4u::NetZone* zone = s4u::create_star_zone(name);
  return parent == nullptr ? zone : zone->set_parent(parent);
#endif
}

/// Around all others, with a route for every two of its zones.
inline s4u::NetZone* add_full_zone(const std::string& name) {
#if SIMGRID_VERSION >= 40000
  return s4u::Engine::get_instance()->get_netzone_root()->add_netzone_full(name);
#else
  return s4u::create_full_zone(name);
#endif
}

inline s4u::Host* add_host(s4u::NetZone& zone, const std::string& name, double speed_flops) {
#if SIMGRID_VERSION >= 40000
  return zone.add_host(name, speed_flops);
#else
  return zone.create_host(name, speed_flops);
#endif
}

inline s4u::Link* add_link(s4u::NetZone& zone, const std::string& name, double bandwidth_Bps) {
#if SIMGRID_VERSION >= 40000
  return zone.add_link(name, bandwidth_Bps);
#else
  return zone.create_link(name, bandwidth_Bps);
#endif
}

/// In a star, one of the ends is nullptr: all others. No link: the ends are one.
inline void add_route(s4u::NetZone& zone, const s4u::Host* from, const s4u::Host* to,
                      s4u::Link* link) {
  std::vector<s4u::LinkInRoute> links;
  if (link != nullptr) links.emplace_back(link);
#if SIMGRID_VERSION >= 40000
  zone.add_route(from, to, links, /*symmetrical=*/false);
#else
  const auto netpoint = [](const s4u::Host* host) {
    return host == nullptr ? nullptr : host->get_netpoint();
  };
  zone.add_route(netpoint(from), netpoint(to), nullptr, nullptr, links, /*symmetrical=*/false);
#endif
}

/// Between two hosts of one zone, instead of the way that the zone's kind would give.
inline void add_bypass(s4u::NetZone& zone, const s4u::Host* from, const s4u::Host* to,
                       const std::vector<s4u::LinkInRoute>& links) {
  zone.add_bypass_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, links);
}

/// A zone inside another, with the host through which everything enters and leaves it.
struct Subzone {
  s4u::NetZone* zone = nullptr;
  s4u::Host* gateway = nullptr;
};

/// Before the zone is sealed.
inline Subzone subzone(s4u::NetZone* zone, s4u::Host* gateway) {
#if SIMGRID_VERSION >= 40000
  zone->set_gateway(gateway);  // the third generation takes it with every route
#endif
  return {zone, gateway};
}

/// Between zones inside this one. In a star, one of the ends has no zone: all others.
inline void add_route(s4u::NetZone& zone, const Subzone& from, const Subzone& to, s4u::Link* link) {
  const std::vector<s4u::LinkInRoute> links = {s4u::LinkInRoute(link)};
#if SIMGRID_VERSION >= 40000
  zone.add_route(from.zone, to.zone, links, /*symmetrical=*/false);
#else
  const auto netpoint = [](const Subzone& end) {
    return end.zone == nullptr ? nullptr : end.zone->get_netpoint();
  };
  const auto gateway = [](const Subzone& end) {
    return end.gateway == nullptr ? nullptr : end.gateway->get_netpoint();
  };
  zone.add_route(netpoint(from), netpoint(to), gateway(from), gateway(to), links,
                 /*symmetrical=*/false);
#endif
}

inline s4u::ActorPtr add_actor(const std::string& name, s4u::Host* host,
                               const std::function<void()>& code) {
#if SIMGRID_VERSION >= 40000
  return s4u::Engine::add_actor(name, host, code);
#else
  return s4u::Actor::create(name, host, code);
#endif
}

}  // namespace motley::generation
