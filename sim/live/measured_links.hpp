#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/expenses.hpp"
#include "sim/results/run_result.hpp"
#include "sim/scenario/cluster_plan.hpp"
#include "sim/scenario/link_names.hpp"

namespace motley {

/// What the links of the scenario carried in a live run, by the messages that would have gone over them: those
/// of hosts, nodes, racks and sites alike. What the real network has instead nobody has measured.
class MeasuredLinks {
 public:
  /// `cluster` must outlive this.
  explicit MeasuredLinks(const ClusterPlan& cluster);
  /// Tells what links of this cluster draw without load.
  static void add_idle_powers(const ClusterPlan& cluster, Expenses& expenses);

  // In order of time. Nodes are workers, then servers.
  void departs(std::size_t from, std::size_t to, double now);
  /// Returns the energy it took on its way, in J.
  double arrives(std::size_t from, std::size_t to, double now, std::uint64_t bytes);

  /// Of the links on the way from one to the other.
  std::vector<std::string> names(std::size_t from, std::size_t to) const;

  std::vector<LinkResult> results(double end_s) const;

 private:
  struct Load {
    std::string name;
    double bandwidth_Bps = 0;
    double J_per_byte = 0;  // beyond what it draws without load
    double bytes = 0;
    std::size_t messages = 0;  // on it now
    double busy_s = 0;
    double busy_since = 0;
  };
  /// Both directions of a link, by their places in loads_.
  struct Duplex {
    std::size_t up = 0;
    std::size_t down = 0;
  };

  Duplex add(const LinkNames& names, const LinkSpec& link);
  const HostPlan& host(std::size_t node) const;
  /// The link by which it leaves its machine.
  Duplex outer(std::size_t node) const;
  std::vector<std::size_t> way(std::size_t from, std::size_t to) const;

  const ClusterPlan& cluster_;
  std::vector<Load> loads_;
  std::vector<Duplex> hosts_;    // by node of the run: its own link, or its port inside a machine
  std::vector<Duplex> cards_;    // of machines with several hosts
  std::vector<Duplex> uplinks_;  // of racks
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> between_sites_;
};

}  // namespace motley
