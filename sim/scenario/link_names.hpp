#pragma once

#include <string>
#include <unordered_map>

#include "sim/scenario/cluster_plan.hpp"

/// What the links of a cluster are called in results.
namespace motley {

/// The two directions of a link.
struct LinkNames {
  std::string up;
  std::string down;
};

LinkNames names_of_link(const HostPlan& host);     ///< gpu-3_up
LinkNames names_of_link(const NodePlan& node);     ///< gpu-node0_up
LinkNames names_inside(const HostPlan& host);      ///< gpu-3_inside_up
LinkNames names_of_uplink(const PlacePlan& rack);  ///< rack-0_uplink_up
/// paris->tokyo, and back.
LinkNames names_of_link(const ClusterPlan& plan, const SiteLinkPlan& link);

/// Of all links like this one: gpu-*_up.
LinkNames names_of_group(const HostPlan& host);

/// Of all links between sites, one by one.
std::vector<std::string> names_of_site_links(const ClusterPlan& plan);

/// By the name of a link, the name of all links of its kind: gpu-*_up for those of every gpu.
/// None of a link that is like no other, nor of a platform file's.
std::unordered_map<std::string, std::string> link_groups(const ClusterPlan& plan);

}  // namespace motley
