#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/network/link_loads.hpp"
#include "sim/engine/network/switch_ports.hpp"
#include "sim/engine/platform/link_bandwidths.hpp"
#include "sim/engine/platform/platform.hpp"
#include "sim/results/run_result.hpp"

namespace motley {

/// Which links messages take from node to node: SimGrid's, or those of the plan where SimGrid has none.
/// A link gets its number, its load and its place in the switch with the first message that takes it.
class Routes {
 public:
  using Node = std::size_t;

  struct Route {
    LinkLoads::Links links;
    double latency_s = 0;      ///< to be paid by whoever sends
    double bandwidth_Bps = 0;  ///< the smallest of its links
  };

  /// `on_switch`: every way must have one link up and one down.
  Routes(const Platform& platform, const LinkBandwidths& bandwidths, LinkLoads& loads,
         SwitchPorts& ports, std::size_t workers, bool on_switch)
      : platform_(platform),
        bandwidths_(bandwidths),
        loads_(loads),
        ports_(ports),
        workers_(workers),
        on_switch_(on_switch) {}

  const Route& between(Node from, Node to);
  /// Of the links between them, in the order of the way.
  std::vector<std::string> link_names(Node from, Node to);
  /// The number of one of SimGrid's links; empty when nothing has taken it.
  std::optional<std::size_t> number_of(const simgrid::s4u::Link* link) const;
  /// After bandwidths have changed inside SimGrid.
  void read_bandwidths();
  /// Every link of the platform, by name, with what it carried up to `end`. `plan`: of the platform.
  std::vector<LinkResult> results(double end, const ClusterPlan& plan) const;

 private:
  void add_links(Route& route, Node from, Node to);
  void add_planned_links(Route& route, Node from, Node to);
  std::vector<LinkResult> planned_results(double end, const ClusterPlan& plan) const;

  const Platform& platform_;
  const LinkBandwidths& bandwidths_;
  LinkLoads& loads_;
  SwitchPorts& ports_;
  std::size_t workers_;
  bool on_switch_;
  std::vector<simgrid::s4u::Link*> links_;  // by number; none where they are the plan's
  std::unordered_map<const simgrid::s4u::Link*, std::size_t> numbers_;
  std::unordered_map<std::uint64_t, std::size_t> planned_numbers_;  // by planned_key()
  std::unordered_map<std::uint64_t, Route> routes_;                 // by both ends
};

}  // namespace motley
