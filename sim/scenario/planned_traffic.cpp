#include "sim/scenario/planned_traffic.hpp"

#include <algorithm>

#include "sim/base/json.hpp"
#include "sim/scenario/cluster_names.hpp"

namespace motley {
namespace {

class TrafficPlanner {
 public:
  explicit TrafficPlanner(ClusterPlan& plan) : plan_(plan), names_(plan) {}

  void add(const TrafficSpec& spec, std::uint32_t entry, const Place& here) {
    const std::vector<std::string> from = hosts_of(spec.from, here / "from");
    const std::vector<std::string> to = hosts_of(spec.to, here / "to");
    if (from.empty() && to.empty()) {
      throw InputError(here, "goes from outside to outside, through no link of the cluster");
    }
    std::uint32_t member = 0;
    for (const std::string& host : from.empty() ? to : from) {
      TrafficPlan stream{host, to, spec, entry, member++};
      if (from.empty()) {
        stream.from = outside;
        stream.to = {host};
      } else if (to.empty()) {
        stream.to = {outside};
      } else {
        std::erase(stream.to, host);
        if (stream.to.empty()) {
          throw InputError(here / "to", "must be another host than it comes from", Json(spec.to));
        }
      }
      plan_.traffic.push_back(std::move(stream));
    }
  }

 private:
  /// The hosts that a name stands for; empty: outside.
  std::vector<std::string> hosts_of(const std::string& name, const Place& here) const {
    if (name == outside) {
      if (plan_.platform_file.empty() && plan_.fabric == FabricSpec::Kind::one_switch) return {};
      throw InputError(here,
                       "outside needs one switch that the scenario describes: with racks, sites or "
                       "a platform file name a host");
    }
    std::vector<std::string> names;
    if (name == "server") {
      for (const HostPlan& server : plan_.servers) names.push_back(server.name);
      if (!names.empty()) return names;
    }
    if (names_.ranks.contains(name)) return {name};
    const auto members = names_.classes.find(name);
    if (members == names_.classes.end()) {
      std::vector<std::string> known = names_in(names_.ranks);
      for (const auto& [class_name, ranks] : names_.classes) known.push_back(class_name);
      known.emplace_back("server");
      known.emplace_back(outside);
      throw InputError(here,
                       "must be a worker, a class of workers, server (if there is one) or outside" +
                           did_you_mean(name, known),
                       Json(name));
    }
    for (const std::size_t rank : members->second) names.push_back(plan_.workers[rank].name);
    return names;
  }

  ClusterPlan& plan_;
  ClusterNames names_;
};

}  // namespace

void plan_traffic(const std::vector<TrafficSpec>& traffic, const Place& place, ClusterPlan& plan) {
  TrafficPlanner planner(plan);
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    planner.add(traffic[i], static_cast<std::uint32_t>(i), place / i);
  }
}

bool has_traffic_outside(const ClusterPlan& plan) {
  return std::ranges::any_of(plan.traffic, [](const TrafficPlan& stream) {
    return stream.from == outside || stream.to.front() == outside;
  });
}

}  // namespace motley
