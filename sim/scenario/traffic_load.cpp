#include "sim/scenario/traffic_load.hpp"

#include <sstream>
#include <unordered_map>

#include "sim/scenario/link_names.hpp"

namespace motley {
namespace {

/// Bytes per second through one direction of a link, on average and for ever.
struct OfferedLoad {
  std::string link;
  double bandwidth_Bps = 0;
  double offered_Bps = 0;
};

/// Both directions of a link, by their places in a list.
struct LoadedDuplex {
  std::size_t up = 0;
  std::size_t down = 0;
};

class TrafficLoad {
 public:
  explicit TrafficLoad(const ClusterPlan& plan) : plan_(plan) {
    for (const LinkChangePlan& change : plan.link_changes) {
      at_last_[change.link] = change.steps.back().factor;
    }
    for (const NodePlan& node : plan.nodes) cards_.push_back(add(names_of_link(node), node.link));
    for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
      for (const HostPlan& host : *hosts) {
        numbers_[host.name] = hosts_.size();
        hosts_.push_back(&host);
        own_.push_back(host.node ? add(names_inside(host), plan.nodes[*host.node].inside)
                                 : add(names_of_link(host), host.link));
      }
    }
    if (plan.fabric == FabricSpec::Kind::racks) {
      for (const PlacePlan& rack : plan.places) {
        uplinks_.push_back(add(names_of_uplink(rack), rack.uplink));
      }
    }
    for (const SiteLinkPlan& link : plan.site_links) {
      const LoadedDuplex both = add(names_of_link(plan, link), link.link);
      between_sites_[link.first * plan.places.size() + link.second] = both.up;
      between_sites_[link.second * plan.places.size() + link.first] = both.down;
    }
  }

  void add(const TrafficPlan& stream) {
    if (stream.spec.for_s) return;  // it has an end
    const double rate = stream.spec.size.mean_amount() / stream.spec.every.mean_amount();
    const double each = rate / static_cast<double>(stream.to.size());
    const HostPlan* from = host(stream.from);
    for (const std::string& name : stream.to) {
      const HostPlan* to = host(name);
      if (from != nullptr && to != nullptr)
        cross(*from, *to, each);
      else if (from != nullptr)
        loads_[outer(*from).up].offered_Bps += each;
      else
        loads_[outer(*to).down].offered_Bps += each;
    }
  }

  /// The first that is too much; null when all is well.
  const OfferedLoad* overload() const {
    constexpr double rounding = 1 + 1e-9;
    for (const OfferedLoad& load : loads_) {
      if (load.offered_Bps > rounding * load.bandwidth_Bps) return &load;
    }
    return nullptr;
  }

 private:
  LoadedDuplex add(const LinkNames& names, const LinkSpec& link) {
    const auto direction = [this](const std::string& name, double bandwidth_Bps) {
      const auto changed = at_last_.find(name);
      const double factor = changed == at_last_.end() ? 1 : changed->second;
      loads_.push_back({name, factor * bandwidth_Bps});
      return loads_.size() - 1;
    };
    const std::size_t up = direction(names.up, link.bandwidth.up_Bps);
    return {up, direction(names.down, link.bandwidth.down_Bps)};
  }

  const HostPlan* host(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? nullptr : hosts_[found->second];
  }

  LoadedDuplex own(const HostPlan& host) const { return own_[numbers_.at(host.name)]; }
  /// The link by which it leaves its machine.
  LoadedDuplex outer(const HostPlan& host) const {
    return host.node ? cards_[*host.node] : own(host);
  }

  void cross(const HostPlan& from, const HostPlan& to, double rate) {
    const bool inside = from.node && from.node == to.node;
    loads_[inside ? own(from).up : outer(from).up].offered_Bps += rate;
    loads_[inside ? own(to).down : outer(to).down].offered_Bps += rate;
    if (from.place == to.place) return;
    if (!uplinks_.empty()) {
      loads_[uplinks_[from.place].up].offered_Bps += rate;
      loads_[uplinks_[to.place].down].offered_Bps += rate;
      return;
    }
    loads_[between_sites_.at(from.place * plan_.places.size() + to.place)].offered_Bps += rate;
  }

  const ClusterPlan& plan_;
  std::unordered_map<std::string, double> at_last_;  // the factor of a link that changes
  std::vector<OfferedLoad> loads_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<const HostPlan*> hosts_;
  std::vector<LoadedDuplex> own_;    // by host
  std::vector<LoadedDuplex> cards_;  // by node
  std::vector<LoadedDuplex> uplinks_;
  std::unordered_map<std::size_t, std::size_t> between_sites_;  // by first * places + second
};

}  // namespace

void check_traffic_load(const ClusterPlan& plan, const Place& place) {
  if (!plan.platform_file.empty()) return;
  TrafficLoad load(plan);
  for (std::size_t i = 0; i < plan.traffic.size(); ++i) {
    load.add(plan.traffic[i]);
    const bool is_last_of_entry =
        i + 1 == plan.traffic.size() || plan.traffic[i + 1].entry != plan.traffic[i].entry;
    const OfferedLoad* full = is_last_of_entry ? load.overload() : nullptr;
    if (full == nullptr) continue;
    std::ostringstream complaint;
    complaint
        << "is too much for " << full->link << ": with what comes before it, it sends "
        << full->offered_Bps << " B/s on average and for ever through a link of "
        << full->bandwidth_Bps
        << " B/s, where messages would pile up without end: make it less, or give it a \"for\"";
    throw InputError(place / plan.traffic[i].entry, complaint.str());
  }
}

}  // namespace motley
