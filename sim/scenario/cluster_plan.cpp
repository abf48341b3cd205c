#include "sim/scenario/cluster_plan.hpp"

#include <cctype>
#include <map>

#include "sim/scenario/cluster_shape.hpp"

namespace motley {

namespace {

/// The plan of a cluster while it is made.
class PlanMaker {
 public:
  PlanMaker(const ClusterSpec& spec, double flops_per_sample, std::uint64_t seed)
      : spec_(spec), places_(places_of(spec, {})) {
    std::size_t workers = 0;
    for (const WorkerClassSpec& worker : spec.workers) workers += worker.count;
    plan_.workers.reserve(workers);
    for (std::size_t k = 0; k < spec.workers.size(); ++k) add_workers(k, flops_per_sample, seed);
    const std::vector<const ServerSpec*> servers = servers_of(spec);
    for (const ServerSpec* server : servers) {
      add_server(*server,
                 spec.server ? "server" : "server-" + std::to_string(plan_.servers.size()));
    }
    if (!spec.fabric) return;
    plan_.fabric = spec.fabric->kind;
    if (spec.fabric->kind == FabricSpec::Kind::racks) add_racks();
    if (spec.fabric->kind == FabricSpec::Kind::sites) add_sites();
  }

  ClusterPlan plan() { return std::move(plan_); }

 private:
  void add_workers(std::size_t k, double flops_per_sample, std::uint64_t seed) {
    const WorkerClassSpec& worker = spec_.workers[k];
    const double speed = worker.speed_flops
                             ? *worker.speed_flops
                             : worker.samples_per_s->full_samples_per_s() * flops_per_sample;
    StepTime step;
    step.overhead_s = worker.step_overhead_s.value_or(0);
    if (worker.samples_per_s && !worker.samples_per_s->is_constant()) {
      step.measured = std::make_shared<const MeasuredThroughput>(*worker.samples_per_s);
    }
    const LinkSpec link = worker.link ? *worker.link : *spec_.link;
    const NoiseSpec noise = worker.noise.value_or(spec_.noise.value_or(NoiseSpec{}));
    const std::vector<double> relative =
        worker.spread
            ? spread_speeds(*worker.spread, worker.count, seed, static_cast<std::uint32_t>(k))
            : std::vector<double>(worker.count, 1);
    const std::size_t first_node = plan_.nodes.size();
    first_node_.push_back(first_node);
    for (std::size_t i = 0; i < worker.count; ++i) {
      HostPlan host{worker.name + "-" + std::to_string(i),
                    worker.name,
                    speed * relative[i],
                    link,
                    noise,
                    step,
                    worker.max_batch,
                    worker.power,
                    worker.price_per_hour};
      if (!places_.of_workers.empty()) host.place = places_.of_workers[k][i];
      if (worker.per_node) {
        host.node = first_node + i / *worker.per_node;
        if (i % *worker.per_node == 0) {
          plan_.nodes.push_back({worker.name + "-node" + std::to_string(i / *worker.per_node),
                                 worker.name, link, *worker.inside, host.place});
        }
      }
      plan_.workers.push_back(std::move(host));
    }
  }

  void add_server(const ServerSpec& server, const std::string& name) {
    HostPlan host{name, "server", server.speed_flops, {}, {}};
    host.power = server.power;
    host.price_per_hour = server.price_per_hour;
    if (server.on) {
      host.node = next_node(*server.on);
      host.link = plan_.nodes[*host.node].link;
      host.place = plan_.nodes[*host.node].place;
    } else {
      host.link = server.link ? *server.link : *spec_.link;
      if (!places_.of_servers.empty()) host.place = places_.of_servers[servers_on_no_node_++];
    }
    plan_.servers.push_back(std::move(host));
  }

  /// Of a class of workers, for the next server that is on one.
  std::size_t next_node(const std::string& class_name) {
    std::size_t k = 0;
    while (spec_.workers[k].name != class_name) ++k;
    const std::size_t nodes = spec_.workers[k].count / *spec_.workers[k].per_node;
    return first_node_[k] + servers_on_[class_name]++ % nodes;
  }

  void add_racks() {
    for (const RackSpec& rack : spec_.fabric->racks) {
      const UplinkSpec& uplink = rack.uplink ? *rack.uplink : *spec_.fabric->uplink;
      for (std::size_t n = 0; n < rack.count; ++n) {
        const Bandwidth bandwidth = uplink.bandwidth.value_or(Bandwidth{});  // for now
        plan_.places.push_back({"rack-" + std::to_string(plan_.places.size()),
                                {bandwidth, uplink.latency_s, uplink.power}});
        shares_.push_back(uplink.oversubscription);
      }
    }
    for (const NodePlan& node : plan_.nodes) widen_uplink(node.place, node.link);
    for (const std::vector<HostPlan>* hosts : {&plan_.workers, &plan_.servers}) {
      for (const HostPlan& host : *hosts) {
        if (!host.node) widen_uplink(host.place, host.link);
      }
    }
  }

  /// By the share of a link in the rack that its oversubscription leaves.
  void widen_uplink(std::size_t rack, const LinkSpec& link) {
    if (!shares_[rack]) return;
    plan_.places[rack].uplink.bandwidth.up_Bps += link.bandwidth.up_Bps / *shares_[rack];
    plan_.places[rack].uplink.bandwidth.down_Bps += link.bandwidth.down_Bps / *shares_[rack];
  }

  void add_sites() {
    const std::vector<SiteSpec>& sites = spec_.fabric->sites;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        plan_.site_links.push_back(
            {j, i, link_between(*spec_.fabric, sites[j].name, sites[i].name)});
      }
      plan_.places.push_back({sites[i].name});
    }
  }

  const ClusterSpec& spec_;
  Places places_;
  ClusterPlan plan_;
  std::vector<std::size_t> first_node_;  // of each class
  std::map<std::string, std::size_t> servers_on_;
  std::size_t servers_on_no_node_ = 0;
  std::vector<std::optional<double>> shares_;  // oversubscription of each rack
};

/// For a plan and one that cannot be changed alike.
template <class Plan, class Visit>
void visit_links(Plan& plan, const Visit& visit) {
  for (auto& host : plan.workers) visit(host.link);
  for (auto& host : plan.servers) visit(host.link);
  for (auto& node : plan.nodes) {
    visit(node.link);
    visit(node.inside);
  }
  for (auto& place : plan.places) visit(place.uplink);
  for (auto& link : plan.site_links) visit(link.link);
}

}  // namespace

bool ClusterPlan::is_plain_switch() const {
  return platform_file.empty() && nodes.empty() && fabric == FabricSpec::Kind::one_switch;
}

ClusterPlan plan_cluster(const ClusterSpec& spec, double flops_per_sample, std::uint64_t seed) {
  return PlanMaker(spec, flops_per_sample, seed).plan();
}

void for_each_link(ClusterPlan& plan, const std::function<void(LinkSpec&)>& change) {
  visit_links(plan, change);
}

void for_each_link(const ClusterPlan& plan, const std::function<void(const LinkSpec&)>& look) {
  visit_links(plan, look);
}

std::vector<double> worker_speeds(const ClusterPlan& plan) {
  std::vector<double> speeds;
  speeds.reserve(plan.workers.size());
  for (const HostPlan& worker : plan.workers) speeds.push_back(worker.speed_flops);
  return speeds;
}

bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t i_end = i;
      std::size_t j_end = j;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (j_end < b.size() && digit(b[j_end])) ++j_end;
      while (i < i_end && a[i] == '0') ++i;
      while (j < j_end && b[j] == '0') ++j;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // equal but for leading zeros
}

}  // namespace motley
