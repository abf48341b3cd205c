// What happens to the network beside the algorithm's messages: bandwidths that change, and messages
// of others.
#include <algorithm>
#include <limits>

#include "sim/engine/network.hpp"
#include "sim/engine/simgrid_generation.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

void Network::settle(ChangedLink& changed, double bandwidth_Bps) {
  const double now = s4u::Engine::get_clock();
  changed.full_bytes += (now - changed.since_s) * bandwidth_Bps;
  changed.since_s = now;
}

void Network::send_background(Node from, Node to, std::uint64_t bytes) {
  Message& message = new_message(from, to, bytes);
  message.background = true;
  message.set_background(true);
  message.traced = 0;
  depart(message, 1);
}

void Network::change_bandwidths(std::span<const BandwidthFactor> changes) {
  if (!changed_.empty()) {  // by profiles, at this very moment: first what these are factors of
    agenda_.cancel(profile_event_);
    follow_profiles();
  }
  following_ = true;  // these changes are our own
  std::vector<bool> risen(link_loads_.size(), false);
  for (const auto& [link, factor] : changes) {
    double& bandwidth = bandwidths_Bps_[link];
    ChangedLink& changed =
        changed_links_.try_emplace(link, ChangedLink{.plain_Bps = bandwidth}).first->second;
    settle(changed, bandwidth);
    const double after = changed.plain_Bps * factor;
    const auto index = link_index_.find(link);
    if (index != link_index_.end()) {
      risen[index->second] = after > bandwidth;
      // SimGrid takes over what is left of the messages there, at the old bandwidth so far.
      if (on_switch_) ports_.set_bandwidth(index->second, after);
    }
    changed.factor = factor;
    bandwidth = after;
    link->set_bandwidth(unit_ * after);
  }
  following_ = false;
  for (auto& [ends, route] : routes_) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t link : route.links) {
      least = std::min(least, link_loads_[link].link->get_bandwidth() / unit_);
    }
    route.bandwidth_Bps = least;
  }
  restart_on(risen);
}

double Network::followed(ChangedLink& changed, double before_Bps, double plain_Bps) {
  settle(changed, before_Bps);
  changed.plain_Bps = plain_Bps;
  return plain_Bps * changed.factor;
}

double Network::plain_bandwidth(const s4u::Link* link) const {
  const auto found = changed_links_.find(link);
  return found == changed_links_.end() ? link->get_bandwidth() / unit_ : found->second.plain_Bps;
}

double Network::mean_bandwidth(const s4u::Link* link, double end) const {
  const double now = link->get_bandwidth() / unit_;
  const auto found = changed_links_.find(link);
  if (found == changed_links_.end() || !(end > 0)) return now;
  const ChangedLink& changed = found->second;
  return (changed.full_bytes + (end - changed.since_s) * now) / end;
}

}  // namespace motley
