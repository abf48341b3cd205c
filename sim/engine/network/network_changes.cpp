// What happens to the network beside the algorithm's messages: bandwidths that change, and messages
// of others.
#include <algorithm>
#include <optional>

#include "sim/engine/network/network.hpp"
#include "sim/engine/platform/simgrid_generation.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

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
  std::vector<bool> risen(loads_.size(), false);
  for (const auto& [link, factor] : changes) {
    const auto [before, after] = bandwidths_.set_factor(link, factor);
    if (const std::optional<std::size_t> number = routes_.number_of(link)) {
      risen[*number] = after > before;
      // SimGrid takes over what is left of the messages there, at the old bandwidth so far.
      if (on_switch_) ports_.set_bandwidth(*number, after);
    }
    bandwidths_.tell_simgrid(link, after);
  }
  following_ = false;
  routes_.read_bandwidths();
  restart_on(risen);
}

void Network::follow_profiles() {
  following_ = true;
  std::vector<bool> risen(loads_.size(), false);
  for (s4u::Link* link : changed_) {
    const auto [before, after] = bandwidths_.follow_profile(link);
    if (const auto number = routes_.number_of(link)) risen[*number] = after > before;
    if (bandwidths_.now(link) != after) bandwidths_.tell_simgrid(link, after);
  }
  changed_.clear();
  following_ = false;
  if (fluid_) restart_on(risen);
}

void Network::restart_on(const std::vector<bool>& risen) {
  for (const std::unique_ptr<Message>& message : all_messages_) {
    const auto is_risen = [&](std::size_t link) { return risen[link]; };
    if (!message->comm || !std::ranges::any_of(message->route->links, is_risen)) continue;
    const double rest = message->comm->get_remaining() / bandwidths_.unit();
    message->comm->set_data(nullptr);  // its end is nobody's arrival
    message->comm->cancel();
    finish(*message);
    flow_in_simgrid(*message, rest);
  }
}

}  // namespace motley
