#pragma once

#include <vector>

#include "sim/scenario/scenario.hpp"

/// Who shares a node with whom, and which hosts are in which rack or at which site.
namespace motley {

/// Refuses workers that do not fill nodes.
void check_nodes(const WorkerClassSpec& workers, const Place& place);

/// Refuses a server that has no link, or no node to be on. `place`: of the cluster; `here`: of it.
void check_server(const ServerSpec& server, const ClusterSpec& cluster, const Place& place,
                  const Place& here);

/// Refuses nodes, whose links are not those of single hosts.
void check_port_flows(const ClusterSpec& cluster, const Place& place);

/// The servers in their order.
std::vector<const ServerSpec*> servers_of(const ClusterSpec& cluster);

/// The index of the rack or site of everybody; empty where there is one switch.
struct Places {
  std::vector<std::vector<std::size_t>> of_workers;  ///< of each class
  std::vector<std::size_t> of_servers;               ///< of those that are on no node
};

/// InputError when not everybody is in exactly one of them, or a node in two. `place`: of the
/// cluster.
Places places_of(const ClusterSpec& cluster, const Place& place);

}  // namespace motley
