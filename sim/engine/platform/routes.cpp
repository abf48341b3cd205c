#include "sim/engine/platform/routes.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/engine/platform/host_route.hpp"
#include "sim/results/idle_parts.hpp"
#include "sim/scenario/link_names.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// The property of a link of a platform file. That of a split-duplex one belongs to the pair, each of
/// which has its name and a direction.
std::string class_of_link(const s4u::Link& link) {
  if (const char* given = link.get_property("class")) return given;
  for (const std::string& direction : {std::string("_UP"), std::string("_DOWN")}) {
    const std::string& name = link.get_name();
    if (!name.ends_with(direction)) continue;
    try {
      const std::string pair = name.substr(0, name.size() - direction.size());
      const s4u::Link* both = s4u::Engine::get_instance()->split_duplex_link_by_name(pair);
      if (const char* given = both->get_property("class")) return given + direction;
    } catch (const std::invalid_argument&) {  // a link that is only called so
    }
  }
  return "";
}

/// Of a host's link, as the plan has it where SimGrid has none.
enum class Direction { up, down };

std::uint64_t planned_key(std::size_t node, Direction way) {
  return 2 * static_cast<std::uint64_t>(node) + (way == Direction::up ? 0 : 1);
}

double planned_bandwidth(const LinkSpec& link, Direction way) {
  return way == Direction::up ? link.bandwidth.up_Bps : link.bandwidth.down_Bps;
}

/// Each direction draws half of what the scenario gives both.
double planned_J_per_byte(const LinkSpec& link, Direction way) {
  if (!link.power) return 0;
  return (link.power->busy_W / 2 - link.power->idle_W / 2) / planned_bandwidth(link, way);
}

void add_link(Routes::Route& route, std::size_t number, double bandwidth_Bps, double latency_s) {
  route.links.push_back(number);
  route.bandwidth_Bps = std::min(route.bandwidth_Bps, bandwidth_Bps);
  route.latency_s += latency_s;
}

}  // namespace

void Routes::add_links(Route& route, Node from, Node to) {
  const std::vector<s4u::Link*> links = links_between(*platform_.host(from), *platform_.host(to));
  if (links.empty()) {  // of many participants not every pair is asked before
    throw std::runtime_error("the platform file has " +
                             no_route(*platform_.host(from), *platform_.host(to)));
  }
  for (s4u::Link* link : links) {
    const double bandwidth_Bps = bandwidths_.now(link);
    const auto [number, is_new] = numbers_.try_emplace(link, loads_.size());
    if (is_new) {
      const LinkPower* power = platform_.power_of(link);
      loads_.add(power == nullptr
                     ? 0
                     : (power->power.busy_W - power->power.idle_W) / bandwidths_.plain(link));
      links_.push_back(link);
      ports_.add_link(bandwidth_Bps);
    }
    add_link(route, number->second, bandwidth_Bps, bandwidths_.latency_s(link));
  }
}

void Routes::add_planned_links(Route& route, Node from, Node to) {
  if (from < workers_ && to < workers_) {
    throw std::logic_error(
        "a worker sent something to another one, of an algorithm whose workers begin with a model "
        "and so talk with the server only");
  }
  for (const auto& [node, way] : {std::pair(from, Direction::up), std::pair(to, Direction::down)}) {
    const LinkSpec& link = platform_.planned_link(node);
    const auto [number, is_new] =
        planned_numbers_.try_emplace(planned_key(node, way), loads_.size());
    if (is_new) {
      loads_.add(planned_J_per_byte(link, way));
      ports_.add_link(planned_bandwidth(link, way));
    }
    add_link(route, number->second, planned_bandwidth(link, way), link.latency_s);
  }
}

const Routes::Route& Routes::between(Node from, Node to) {
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32U) | to;
  const auto [entry, is_new] = routes_.try_emplace(key);
  Route& route = entry->second;
  if (is_new) {
    route.bandwidth_Bps = std::numeric_limits<double>::infinity();
    if (platform_.has_links())
      add_links(route, from, to);
    else
      add_planned_links(route, from, to);
    if (on_switch_ && route.links.size() != 2) {
      throw std::logic_error("on a switch every way has one link up and one down");
    }
  }
  return route;
}

std::vector<std::string> Routes::link_names(Node from, Node to) {
  if (!platform_.has_links()) {
    const ClusterPlan& plan = platform_.plan();
    const auto host = [&](Node node) -> const HostPlan& {
      return node < workers_ ? plan.workers[node] : plan.servers[node - workers_];
    };
    return {names_of_link(host(from)).up, names_of_link(host(to)).down};
  }
  std::vector<std::string> names;
  for (const std::size_t link : between(from, to).links) names.push_back(links_[link]->get_name());
  return names;
}

std::optional<std::size_t> Routes::number_of(const s4u::Link* link) const {
  const auto found = numbers_.find(link);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

void Routes::read_bandwidths() {
  for (auto& [ends, route] : routes_) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t link : route.links) {
      least = std::min(least, bandwidths_.now(links_[link]));
    }
    route.bandwidth_Bps = least;
  }
}

// ---- What they carried ----

std::vector<LinkResult> Routes::results(double end, const ClusterPlan& plan) const {
  if (!platform_.has_links()) return planned_results(end, plan);
  const std::unordered_map<std::string, std::string> groups = link_groups(plan);
  LinkList results(plan.workers.size());
  for (const s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    const std::optional<std::size_t> number = number_of(link);
    const LinkLoads::Load load = number ? loads_[*number] : LinkLoads::Load{};
    // SimGrid gives every zone a loopback, which nothing here uses.
    if (!number && link->get_name() == "__loopback__") continue;
    const auto group = groups.find(link->get_name());
    results.add({link->get_name(), bandwidths_.mean(link, end), load.bytes, load.busy_up_to(end),
                 group != groups.end() ? group->second : class_of_link(*link),
                 load.background_bytes});
  }
  return std::move(results).sorted();
}

std::vector<LinkResult> Routes::planned_results(double end, const ClusterPlan& plan) const {
  LinkList results(plan.workers.size());
  Node node = 0;
  const auto add = [&](const HostPlan& host) {
    const LinkNames names = names_of_link(host);
    const LinkNames groups = names_of_group(host);
    for (const Direction way : {Direction::up, Direction::down}) {
      const auto number = planned_numbers_.find(planned_key(node, way));
      const LinkLoads::Load load =
          number == planned_numbers_.end() ? LinkLoads::Load{} : loads_[number->second];
      results.add({way == Direction::up ? names.up : names.down, planned_bandwidth(host.link, way),
                   load.bytes, load.busy_up_to(end), way == Direction::up ? groups.up : groups.down,
                   load.background_bytes});
    }
    ++node;
  };
  for (const HostPlan& worker : plan.workers) add(worker);
  for (const HostPlan& server : plan.servers) add(server);
  return std::move(results).sorted();
}

}  // namespace motley
