#pragma once

#include <simgrid/forward.h>
#include <string>
#include <vector>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// The hosts of a cluster inside SimGrid's engine. Node w < workers is worker w; the servers
/// follow.
class Platform {
 public:
  /// Builds the switch and its links, or loads the platform file. The engine must exist and be
  /// configured.
  explicit Platform(const ClusterPlan& plan);

  simgrid::s4u::Host* host(std::size_t node) const { return hosts_[node]; }
  std::size_t server_node(std::size_t server) const { return workers_ + server; }
  /// Whether every host hangs on one switch by links of its own and nothing changes over time: not
  /// so in a platform file.
  bool is_switch() const { return is_switch_; }
  /// Where the referee lives: any host will do, it uses none of it.
  simgrid::s4u::Host* any_host() const { return hosts_.front(); }

 private:
  std::size_t workers_;
  bool is_switch_;
  std::vector<simgrid::s4u::Host*> hosts_;
};

/// Reads a SimGrid platform file in a process of its own and lists the hosts that take part by
/// their property `role` ("worker" or "server"; `class` names a worker's class). InputError at
/// `place` when it cannot be read or has no worker.
ClusterPlan inspect_platform(const std::string& file, const Place& place);

}  // namespace motley
