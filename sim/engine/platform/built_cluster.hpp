#pragma once

#include <simgrid/forward.h>
#include <unordered_map>
#include <vector>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What one direction of a link draws: half of what the scenario gives both.
struct LinkPower {
  PowerSpec power;
  bool of_server = false;  ///< a server's own, which is off in a run without servers
};
/// Of the links of which the scenario says it.
using LinkPowers = std::unordered_map<const simgrid::s4u::Link*, LinkPower>;

/// Makes the hosts and links of a plan without a platform file: the workers by rank, then the
/// servers, then what is outside if background traffic goes there. The engine must exist and be
/// configured.
///
/// Every direction of every link is a resource of its own. A message from a to b crosses
///   in one node             a's and b's ports on the crossbar,
///   in one rack or site     a's link up and b's link down (a node's, where they are on nodes),
///   between racks           a's link, the uplinks of both racks, b's link,
///   between sites           a's link, the link of the two sites, b's link,
///   to or from outside      the link of the one that is inside,
/// and nothing else: switches, crossbars and the core between racks hold nobody up.
std::vector<simgrid::s4u::Host*> build_cluster(const ClusterPlan& plan, LinkPowers& powers);

/// Makes the hosts of the servers alone, without a link: what else there is, SimGrid need not know.
std::vector<simgrid::s4u::Host*> build_servers(const ClusterPlan& plan);

}  // namespace motley
