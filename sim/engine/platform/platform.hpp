#pragma once

#include <simgrid/forward.h>
#include <string>
#include <vector>

#include "sim/engine/platform/built_cluster.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// The hosts of a cluster inside SimGrid's engine. Node w < workers is worker w; the servers
/// follow, then what is outside, if background traffic goes there.
class Platform {
 public:
  /// How much of the plan SimGrid has to know.
  enum class Extent {
    everything,
    /// The servers without their links. Only on a plain switch, where all times are known without
    /// SimGrid: then a worker costs no more than its place in the plan.
    servers
  };

  /// Builds the hosts and their links, or loads the platform file. The engine must exist and be
  /// configured. The plan must outlive this.
  explicit Platform(const ClusterPlan& plan, Extent extent = Extent::everything);

  /// Where SimGrid knows the servers only, a worker's actor may be anywhere: it uses nothing of its host.
  simgrid::s4u::Host* host(std::size_t node) const {
    if (has_links_) return hosts_[node];
    return node < workers_ ? any_host() : hosts_[node - workers_];
  }
  const ClusterPlan& plan() const { return plan_; }
  /// Whether SimGrid has links; else planned_link() says all there is.
  bool has_links() const { return has_links_; }
  /// On a plain switch: of a worker or server.
  const LinkSpec& planned_link(std::size_t node) const {
    return node < workers_ ? plan_.workers[node].link : plan_.servers[node - workers_].link;
  }
  std::size_t server_node(std::size_t server) const { return workers_ + server; }
  /// Whether every host hangs on one switch by links of its own.
  bool is_plain_switch() const { return is_plain_switch_; }
  /// Of one direction of a link: half of what the scenario gives both. Null when none is given.
  const LinkPower* power_of(const simgrid::s4u::Link* link) const {
    const auto found = link_power_.find(link);
    return found == link_power_.end() ? nullptr : &found->second;
  }
  /// Where the referee lives: any host will do, it uses none of it.
  simgrid::s4u::Host* any_host() const { return hosts_.front(); }

 private:
  const ClusterPlan& plan_;
  std::size_t workers_;
  bool is_plain_switch_;
  bool has_links_;
  std::vector<simgrid::s4u::Host*> hosts_;
  LinkPowers link_power_;
};

/// Reads a SimGrid platform file in a process of its own and lists the hosts that take part by
/// their property `role` ("worker" or "server"; `class` names a worker's class, `node` its machine), in
/// the order of the file. InputError at `place` when it cannot be read or has no worker.
ClusterPlan inspect_platform(const std::string& file, const Place& place);

}  // namespace motley
