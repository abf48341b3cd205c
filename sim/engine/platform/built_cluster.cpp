#include "sim/engine/platform/built_cluster.hpp"

#include <algorithm>

#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/scenario/link_names.hpp"
#include "sim/scenario/planned_traffic.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// Both directions of a link.
struct Duplex {
  s4u::Link* up = nullptr;
  s4u::Link* down = nullptr;
};

Duplex add_duplex(s4u::NetZone& zone, const LinkNames& names, const LinkSpec& link,
                  LinkPowers& powers, bool of_server = false) {
  const auto add = [&](const std::string& name, double bandwidth_Bps) {
    s4u::Link* added = generation::add_link(zone, name, bandwidth_Bps)->set_latency(link.latency_s);
    if (link.power) {
      const PowerSpec& both = *link.power;
      powers[added] = {{both.busy_W / 2, both.idle_W / 2, both.off_W / 2}, of_server};
    }
    return added;
  };
  return {add(names.up, link.bandwidth.up_Bps), add(names.down, link.bandwidth.down_Bps)};
}

/// Without a link of its own.
s4u::Host* add_host_at_switch(s4u::NetZone& star, const std::string& name, double speed_flops) {
  s4u::Host* host = generation::add_host(star, name, speed_flops);
  generation::add_route(star, host, nullptr, nullptr);
  generation::add_route(star, nullptr, host, nullptr);
  return host;
}

/// The members of a node and their ports on its crossbar.
struct Crossbar {
  Duplex link;  ///< of the node
  std::vector<s4u::Host*> hosts = {};
  std::vector<Duplex> ports = {};
};

class ClusterBuilder {
 public:
  ClusterBuilder(const ClusterPlan& plan, LinkPowers& powers) : plan_(plan), powers_(powers) {
    all_ = plan.fabric == FabricSpec::Kind::sites ? generation::add_full_zone("cluster")
                                                  : generation::add_star_zone("cluster");
    for (const PlacePlan& place : plan.places) add_place(place);
    for (const NodePlan& node : plan.nodes) {
      crossbars_.push_back({add_duplex(zone(node.place), names_of_link(node), node.link, powers_)});
    }
    for (const HostPlan& worker : plan.workers) add_host(worker, false);
    for (const HostPlan& server : plan.servers) add_host(server, true);
    if (has_traffic_outside(plan)) {
      hosts_.push_back(add_host_at_switch(*all_, outside, 1));  // computes nothing
    }
    for (std::size_t node = 0; node < plan.nodes.size(); ++node) {
      join_inside(crossbars_[node], zone(plan.nodes[node].place));
    }
    for (const generation::Subzone& place : places_) place.zone->seal();
    if (plan.fabric == FabricSpec::Kind::racks) add_uplinks();
    if (plan.fabric == FabricSpec::Kind::sites) add_site_links();
    all_->seal();
  }

  std::vector<s4u::Host*> hosts() { return std::move(hosts_); }

 private:
  /// The one with the switch of a place.
  s4u::NetZone& zone(std::size_t place) { return places_.empty() ? *all_ : *places_[place].zone; }

  void add_place(const PlacePlan& place) {
    // Hosts' names have no space in them.
    s4u::NetZone* zone = generation::add_star_zone(place.name + " zone", all_);
    s4u::Host* gateway = add_host_at_switch(*zone, place.name + " switch", 1);  // computes nothing
    places_.push_back(generation::subzone(zone, gateway));
  }

  void add_host(const HostPlan& plan, bool of_server) {
    s4u::NetZone& zone = this->zone(plan.place);
    s4u::Host* host = generation::add_host(zone, plan.name, plan.speed_flops);
    Duplex link;
    if (plan.node) {
      Crossbar& crossbar = crossbars_[*plan.node];
      link = crossbar.link;
      crossbar.hosts.push_back(host);
      crossbar.ports.push_back(
          add_duplex(zone, names_inside(plan), plan_.nodes[*plan.node].inside, powers_, of_server));
    } else {
      link = add_duplex(zone, names_of_link(plan), plan.link, powers_, of_server);
    }
    generation::add_route(zone, host, nullptr, link.up);
    generation::add_route(zone, nullptr, host, link.down);
    hosts_.push_back(host);
  }

  static void join_inside(const Crossbar& crossbar, s4u::NetZone& zone) {
    for (std::size_t i = 0; i < crossbar.hosts.size(); ++i) {
      for (std::size_t j = 0; j < crossbar.hosts.size(); ++j) {
        if (i == j) continue;
        generation::add_bypass(
            zone, crossbar.hosts[i], crossbar.hosts[j],
            {s4u::LinkInRoute(crossbar.ports[i].up), s4u::LinkInRoute(crossbar.ports[j].down)});
      }
    }
  }

  void add_uplinks() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Duplex link =
          add_duplex(*all_, names_of_uplink(plan_.places[i]), plan_.places[i].uplink, powers_);
      generation::add_route(*all_, places_[i], {}, link.up);
      generation::add_route(*all_, {}, places_[i], link.down);
    }
  }

  void add_site_links() {
    for (const SiteLinkPlan& plan : plan_.site_links) {
      const Duplex link = add_duplex(*all_, names_of_link(plan_, plan), plan.link, powers_);
      generation::add_route(*all_, places_[plan.first], places_[plan.second], link.up);
      generation::add_route(*all_, places_[plan.second], places_[plan.first], link.down);
    }
  }

  const ClusterPlan& plan_;
  LinkPowers& powers_;
  s4u::NetZone* all_ = nullptr;
  std::vector<generation::Subzone> places_;
  std::vector<Crossbar> crossbars_;
  std::vector<s4u::Host*> hosts_;
};

}  // namespace

std::vector<s4u::Host*> build_cluster(const ClusterPlan& plan, LinkPowers& powers) {
  return ClusterBuilder(plan, powers).hosts();
}

std::vector<s4u::Host*> build_servers(const ClusterPlan& plan) {
  s4u::NetZone* zone = generation::add_star_zone("cluster");
  std::vector<s4u::Host*> hosts;
  for (const HostPlan& server : plan.servers) {
    hosts.push_back(add_host_at_switch(*zone, server.name, server.speed_flops));
  }
  zone->seal();
  return hosts;
}

}  // namespace motley
