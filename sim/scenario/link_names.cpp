#include "sim/scenario/link_names.hpp"

namespace motley {
namespace {

LinkNames two_ways(const std::string& name) {
  return {name + "_up", name + "_down"};
}

/// With * for the number of a host that is one of several.
std::string any_of_class(const HostPlan& host) {
  return host.name == host.class_name ? host.name : host.class_name + "-*";
}

}  // namespace

LinkNames names_of_link(const HostPlan& host) {
  return two_ways(host.name);
}

LinkNames names_of_group(const HostPlan& host) {
  return two_ways(any_of_class(host));
}

LinkNames names_of_link(const NodePlan& node) {
  return two_ways(node.name);
}

LinkNames names_inside(const HostPlan& host) {
  return two_ways(host.name + "_inside");
}

LinkNames names_of_uplink(const PlacePlan& rack) {
  return two_ways(rack.name + "_uplink");
}

LinkNames names_of_link(const ClusterPlan& plan, const SiteLinkPlan& link) {
  const std::string& first = plan.places[link.first].name;
  const std::string& second = plan.places[link.second].name;
  return {first + "->" + second, second + "->" + first};
}

std::vector<std::string> names_of_site_links(const ClusterPlan& plan) {
  std::vector<std::string> names;
  for (const SiteLinkPlan& link : plan.site_links) {
    const LinkNames both = names_of_link(plan, link);
    names.push_back(both.up);
    names.push_back(both.down);
  }
  return names;
}

std::unordered_map<std::string, std::string> link_groups(const ClusterPlan& plan) {
  std::unordered_map<std::string, std::string> groups;
  if (!plan.platform_file.empty()) return groups;
  const auto add = [&groups](const LinkNames& names, const std::string& group) {
    groups[names.up] = group + "_up";
    groups[names.down] = group + "_down";
  };
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) {
      if (host.node)
        add(names_inside(host), any_of_class(host) + "_inside");
      else
        add(names_of_link(host), any_of_class(host));
    }
  }
  for (const NodePlan& node : plan.nodes) add(names_of_link(node), node.class_name + "-node*");
  if (plan.fabric != FabricSpec::Kind::racks) return groups;
  for (const PlacePlan& rack : plan.places) add(names_of_uplink(rack), "rack-*_uplink");
  return groups;
}

}  // namespace motley
