#include "sim/live/measured_links.hpp"

#include "sim/results/idle_parts.hpp"

namespace motley {

MeasuredLinks::MeasuredLinks(const ClusterPlan& cluster) : cluster_(cluster) {
  for (const NodePlan& node : cluster.nodes) cards_.push_back(add(names_of_link(node), node.link));
  for (const std::vector<HostPlan>* hosts : {&cluster.workers, &cluster.servers}) {
    for (const HostPlan& host : *hosts) {
      hosts_.push_back(host.node ? add(names_inside(host), cluster.nodes[*host.node].inside)
                                 : add(names_of_link(host), host.link));
    }
  }
  if (cluster.fabric == FabricSpec::Kind::racks) {
    for (const PlacePlan& rack : cluster.places) {
      uplinks_.push_back(add(names_of_uplink(rack), rack.uplink));
    }
  }
  for (const SiteLinkPlan& link : cluster.site_links) {
    const Duplex both = add(names_of_link(cluster, link), link.link);
    between_sites_[{link.first, link.second}] = both.up;
    between_sites_[{link.second, link.first}] = both.down;
  }
}

MeasuredLinks::Duplex MeasuredLinks::add(const LinkNames& names, const LinkSpec& link) {
  // Each direction draws half of what the scenario gives both, as in a simulation.
  const double watts = link.power ? (link.power->busy_W - link.power->idle_W) / 2 : 0;
  loads_.push_back({names.up, link.bandwidth.up_Bps, watts / link.bandwidth.up_Bps});
  loads_.push_back({names.down, link.bandwidth.down_Bps, watts / link.bandwidth.down_Bps});
  return {loads_.size() - 2, loads_.size() - 1};
}

const HostPlan& MeasuredLinks::host(std::size_t node) const {
  const std::size_t workers = cluster_.workers.size();
  return node < workers ? cluster_.workers[node] : cluster_.servers[node - workers];
}

MeasuredLinks::Duplex MeasuredLinks::outer(std::size_t node) const {
  return host(node).node ? cards_[*host(node).node] : hosts_[node];
}

std::vector<std::size_t> MeasuredLinks::way(std::size_t from, std::size_t to) const {
  const HostPlan& sender = host(from);
  const HostPlan& receiver = host(to);
  if (sender.node && sender.node == receiver.node) return {hosts_[from].up, hosts_[to].down};
  std::vector<std::size_t> links = {outer(from).up};
  if (sender.place != receiver.place) {
    if (uplinks_.empty()) {
      links.push_back(between_sites_.at({sender.place, receiver.place}));
    } else {
      links.push_back(uplinks_[sender.place].up);
      links.push_back(uplinks_[receiver.place].down);
    }
  }
  links.push_back(outer(to).down);
  return links;
}

void MeasuredLinks::departs(std::size_t from, std::size_t to, double now) {
  for (const std::size_t link : way(from, to)) {
    Load& load = loads_[link];
    if (load.messages++ == 0) load.busy_since = now;
  }
}

double MeasuredLinks::arrives(std::size_t from, std::size_t to, double now, std::uint64_t bytes) {
  double energy_J = 0;
  for (const std::size_t link : way(from, to)) {
    Load& load = loads_[link];
    load.bytes += static_cast<double>(bytes);
    energy_J += static_cast<double>(bytes) * load.J_per_byte;
    if (--load.messages == 0) load.busy_s += now - load.busy_since;
  }
  return energy_J;
}

void MeasuredLinks::add_idle_powers(const ClusterPlan& cluster, Expenses& expenses) {
  const auto add = [&](const LinkSpec& link, bool of_server) {
    if (link.power) expenses.add_link(*link.power, of_server);
  };
  for (const NodePlan& node : cluster.nodes) add(node.link, false);
  for (const std::vector<HostPlan>* hosts : {&cluster.workers, &cluster.servers}) {
    for (const HostPlan& host : *hosts) {
      add(host.node ? cluster.nodes[*host.node].inside : host.link, hosts == &cluster.servers);
    }
  }
  if (cluster.fabric == FabricSpec::Kind::racks) {
    for (const PlacePlan& rack : cluster.places) add(rack.uplink, false);
  }
  for (const SiteLinkPlan& link : cluster.site_links) add(link.link, false);
}

std::vector<std::string> MeasuredLinks::names(std::size_t from, std::size_t to) const {
  std::vector<std::string> names;
  for (const std::size_t link : way(from, to)) names.push_back(loads_[link].name);
  return names;
}

std::vector<LinkResult> MeasuredLinks::results(double end_s) const {
  const std::unordered_map<std::string, std::string> groups = link_groups(cluster_);
  LinkList all(cluster_.workers.size());
  for (const Load& load : loads_) {
    const auto group = groups.find(load.name);
    const double since = load.messages > 0 ? end_s - load.busy_since : 0;
    all.add({load.name, load.bandwidth_Bps, load.bytes, load.busy_s + since,
             group != groups.end() ? group->second : ""});
  }
  return std::move(all).sorted();
}

}  // namespace motley
