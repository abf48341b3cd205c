#include "sim/scenario/cluster_shape.hpp"

#include <algorithm>

#include "sim/base/json.hpp"

namespace motley {
namespace {

std::vector<std::string> class_names(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (const WorkerClassSpec& worker : cluster.workers) names.push_back(worker.name);
  return names;
}

/// Deals hosts to racks or sites, those of a class in their order.
class HostDeal {
 public:
  HostDeal(const ClusterSpec& cluster, std::string part)
      : cluster_(cluster), part_(std::move(part)), names_(class_names(cluster)) {
    names_.emplace_back("server");
    for (const WorkerClassSpec& worker : cluster.workers) left_.push_back(worker.count);
    const std::vector<const ServerSpec*> servers = servers_of(cluster);
    left_.push_back(static_cast<std::size_t>(
        std::count_if(servers.begin(), servers.end(),
                      [](const ServerSpec* server) { return !server->on.has_value(); })));
    dealt_.of_workers.resize(cluster.workers.size());
  }

  /// One rack or site gets these.
  void deal(const HostCounts& hosts, const Place& place) {
    for (const auto& [name, count] : hosts.of) {
      const Place here = place / name;
      const auto found = std::find(names_.begin(), names_.end(), name);
      if (found == names_.end()) {
        throw InputError(here,
                         "must be a class of workers, or server" + did_you_mean(name, names_));
      }
      const auto k = static_cast<std::size_t>(found - names_.begin());
      const bool is_server = k == cluster_.workers.size();
      const std::size_t per_node = is_server ? 1 : cluster_.workers[k].per_node.value_or(1);
      if (count % per_node != 0) {
        throw InputError(here, "must be whole nodes of " + std::to_string(per_node) + " workers",
                         std::uint64_t{count});
      }
      if (count > left_[k]) {
        throw InputError(here,
                         "must be at most the " + std::to_string(left_[k]) + " that are in no " +
                             part_ + " before" +
                             (is_server ? " (servers on a node are where the node is)" : ""),
                         std::uint64_t{count});
      }
      left_[k] -= count;
      std::vector<std::size_t>& to = is_server ? dealt_.of_servers : dealt_.of_workers[k];
      to.insert(to.end(), count, next_);
    }
    ++next_;
  }

  Places everybody(const Place& place) {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (left_[k] == 0) continue;
      throw InputError(place, "must contain every host: " + std::to_string(left_[k]) + " of " +
                                  names_[k] + (left_[k] == 1 ? " is" : " are") + " in no " + part_);
    }
    return std::move(dealt_);
  }

 private:
  const ClusterSpec& cluster_;
  std::string part_;
  std::vector<std::string> names_;  // of the classes, and server
  std::vector<std::size_t> left_;   // of each
  Places dealt_;
  std::size_t next_ = 0;
};

}  // namespace

void check_nodes(const WorkerClassSpec& workers, const Place& place) {
  if (workers.inside && !workers.per_node) {
    throw InputError(place / "inside", "needs \"per_node\": how many workers share a node");
  }
  if (!workers.per_node) return;
  if (!workers.inside) {
    throw InputError(place / "per_node",
                     "needs \"inside\": the bandwidth and latency between a worker and the "
                     "crossbar of its node");
  }
  if (workers.count % *workers.per_node != 0) {
    throw InputError(place / "per_node",
                     "must divide the " + std::to_string(workers.count) + " workers of the class",
                     std::uint64_t{*workers.per_node});
  }
}

void check_server(const ServerSpec& server, const ClusterSpec& cluster, const Place& place,
                  const Place& here) {
  if (!server.on) {
    if (!server.link && !cluster.link) {
      throw InputError(here, "needs a \"link\", here or in " + place.pointer);
    }
    return;
  }
  if (server.link) {
    throw InputError(here / "link",
                     "has no meaning with \"on\": the server shares its node's link");
  }
  const std::vector<std::string> names = class_names(cluster);
  const auto found = std::find(names.begin(), names.end(), *server.on);
  if (found == names.end()) {
    throw InputError(here / "on", "must be a class of workers" + did_you_mean(*server.on, names),
                     Json(*server.on));
  }
  if (!cluster.workers[static_cast<std::size_t>(found - names.begin())].per_node) {
    throw InputError(here / "on",
                     "needs a class with \"per_node\" and \"inside\" (one worker per node will do)",
                     Json(*server.on));
  }
}

void check_port_flows(const ClusterSpec& cluster, const Place& place) {
  for (const WorkerClassSpec& worker : cluster.workers) {
    if (worker.per_node) {
      throw InputError(
          place, "is about links of single hosts, and class " + worker.name + " has \"per_node\"");
    }
  }
}

std::vector<const ServerSpec*> servers_of(const ClusterSpec& cluster) {
  std::vector<const ServerSpec*> servers;
  if (cluster.server) servers.push_back(&*cluster.server);
  for (const ServerClassSpec& server : cluster.servers) {
    servers.insert(servers.end(), server.count, &server);
  }
  return servers;
}

Places places_of(const ClusterSpec& cluster, const Place& place) {
  if (!cluster.fabric) return {};
  const Place here = place / "fabric";
  switch (cluster.fabric->kind) {
    case FabricSpec::Kind::one_switch:
      return {};
    case FabricSpec::Kind::racks: {
      HostDeal deal(cluster, "rack");
      const std::vector<RackSpec>& racks = cluster.fabric->racks;
      for (std::size_t i = 0; i < racks.size(); ++i) {
        for (std::size_t n = 0; n < racks[i].count; ++n) {
          deal.deal(racks[i].hosts, here / "racks" / i / "hosts");
        }
      }
      return deal.everybody(here / "racks");
    }
    case FabricSpec::Kind::sites: {
      HostDeal deal(cluster, "site");
      const std::vector<SiteSpec>& sites = cluster.fabric->sites;
      for (std::size_t i = 0; i < sites.size(); ++i) {
        deal.deal(sites[i].hosts, here / "sites" / i / "hosts");
      }
      return deal.everybody(here / "sites");
    }
  }
  return {};
}

}  // namespace motley
