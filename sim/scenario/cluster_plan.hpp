#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/speed_curve.hpp"
#include "sim/scenario/step_time.hpp"

namespace motley {

struct HostPlan {
  std::string name;
  std::string class_name;
  double speed_flops = 0;  ///< of a worker of a platform file: counts instead of the file's
  LinkSpec link;           ///< its own, or its node's; not used with a platform file
  NoiseSpec noise;         ///< of a worker
  StepTime step = {};      ///< of a worker
  std::optional<std::size_t> max_batch = {};  ///< of a worker
  std::optional<PowerSpec> power = {};
  std::optional<double> price_per_hour = {};
  /// Empty: it is a machine of its own. Of a platform file, which has no `nodes`: workers with the
  /// same number share one.
  std::optional<std::size_t> node = {};
  std::size_t place = 0;                          ///< its rack or site
  std::shared_ptr<const SpeedPlan> changes = {};  ///< of its speed; null: none
  HostFailures failures = {};
};

/// A machine with several hosts. They share its link, and talk with each other inside: each has a
/// port of its own on a crossbar.
struct NodePlan {
  std::string name;
  std::string class_name;
  LinkSpec link;
  LinkSpec inside;
  std::size_t place = 0;
};

/// A rack or a site, with a switch of its own.
struct PlacePlan {
  std::string name;
  LinkSpec uplink = {};  ///< of a rack, to the core
};

/// A wide-area link between two sites; up is from the first to the second.
struct SiteLinkPlan {
  std::size_t first = 0;
  std::size_t second = 0;
  LinkSpec link;
};

/// How the bandwidth of one direction of a link changes during a run.
struct LinkChangePlan {
  std::string link;
  std::vector<FactorStep> steps;
};

/// Messages of others from one host, or to one, again and again.
struct TrafficPlan {
  std::string from;             ///< the name of a host, or outside
  std::vector<std::string> to;  ///< one of these, drawn for each message; or outside
  TrafficSpec spec;
  std::uint32_t entry = 0;  ///< of the scenario's list, and who of it: the random stream
  std::uint32_t member = 0;
};
inline constexpr const char* outside = "outside";

/// The cluster host by host; the index of a worker is its rank.
struct ClusterPlan {
  std::vector<HostPlan> workers;
  std::vector<HostPlan> servers;
  std::vector<NodePlan> nodes;
  FabricSpec::Kind fabric = FabricSpec::Kind::one_switch;
  std::vector<PlacePlan> places;                 ///< its racks or sites
  std::vector<SiteLinkPlan> site_links;          ///< between any two sites
  std::string platform_file = {};                ///< instead of all links, nodes and places
  bool no_latency = false;                       ///< whatever the platform file says
  std::vector<std::string> platform_links = {};  ///< the names of the platform file's
  std::vector<LinkChangePlan> link_changes = {};
  std::vector<TrafficPlan> traffic = {};

  /// Whether every host hangs on one switch by a link of its own.
  bool is_plain_switch() const;
};

/// Every link of the plan.
void for_each_link(ClusterPlan& plan, const std::function<void(LinkSpec&)>& change);
void for_each_link(const ClusterPlan& plan, const std::function<void(const LinkSpec&)>& look);

/// Expands the classes and their spreads. For clusters without a platform file.
ClusterPlan plan_cluster(const ClusterSpec& spec, double flops_per_sample, std::uint64_t seed);

/// The speeds of the workers, by rank.
std::vector<double> worker_speeds(const ClusterPlan& plan);

/// Whether `a` comes before `b` when digits count as numbers: h2 before h10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace motley
