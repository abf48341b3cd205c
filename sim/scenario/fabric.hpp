#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/link_spec.hpp"

/// What lies between the links of the hosts, where it is more than one switch.
namespace motley {

/// {"a100": 8, "server": 1}: how many workers of each class and servers, in the order given.
struct HostCounts {
  std::vector<std::pair<std::string, std::size_t>> of;

  static HostCounts read(const Json& value, const Place& place);
  static JsonValue schema();
};

/// From a rack to the core, which is never a bottleneck. Exactly one of bandwidth and
/// oversubscription is given.
struct UplinkSpec {
  std::optional<Bandwidth> bandwidth;
  std::optional<double> oversubscription;  ///< bandwidth of the links in the rack over the uplink's
  double latency_s = 0;
  std::optional<PowerSpec> power;

  static Fields<UplinkSpec> fields();
};

struct RackSpec {
  std::size_t count = 1;
  HostCounts hosts;
  std::optional<UplinkSpec> uplink;  ///< instead of the fabric's

  static Fields<RackSpec> fields();
};

struct SiteSpec {
  std::string name;
  HostCounts hosts;

  static Fields<SiteSpec> fields();
};

/// Between two sites; up is from the first to the second.
struct SiteLinkSpec : LinkSpec {
  std::vector<std::string> between;

  static Fields<SiteLinkSpec> fields();
};

struct FabricSpec {
  enum class Kind { one_switch, racks, sites };
  Kind kind = Kind::one_switch;
  std::vector<RackSpec> racks;
  std::optional<UplinkSpec> uplink;  ///< of every rack that has none of its own
  std::vector<SiteSpec> sites;
  std::optional<LinkSpec> link;  ///< between any two sites that `links` does not name
  std::vector<SiteLinkSpec> links;

  static Fields<FabricSpec> fields();
};

/// Refuses what single fields cannot see, but for which hosts are in which rack or site.
void check_fabric(const FabricSpec& fabric, const Place& place);

/// Of two sites, which `links` may name in either order; up is from `from`, listed first, to `to`.
LinkSpec link_between(const FabricSpec& fabric, const std::string& from, const std::string& to);

}  // namespace motley
