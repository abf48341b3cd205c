#pragma once

#include <string>
#include <vector>

#include "sim/results/run_result.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What the hosts' own links carried in a live run, by the messages that went over them. What lies between
/// the hosts' links nobody has measured.
class MeasuredLinks {
 public:
  explicit MeasuredLinks(const ClusterPlan& cluster);

  // In order of time. Nodes are workers, then servers.
  void departs(std::size_t from, std::size_t to, double now);
  void arrives(std::size_t from, std::size_t to, double now, std::uint64_t bytes);

  /// Of the two links between them; none where others lie between.
  std::vector<std::string> names(std::size_t from, std::size_t to) const;

  std::vector<LinkResult> results(double end_s) const;

 private:
  struct Load {
    double bytes = 0;
    std::size_t messages = 0;  // on it now
    double busy_s = 0;
    double busy_since = 0;
  };
  static void begin(Load& load, double now);
  static void end(Load& load, double now, std::uint64_t bytes);

  const ClusterPlan& cluster_;
  std::vector<Load> up_;
  std::vector<Load> down_;
};

}  // namespace motley
