#include "sim/engine/platform/link_bandwidths.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// SimGrid carries whole numbers of bytes, and what is left of a message need not be one. So it
/// counts in parts of a byte: as many as leave room for messages of eight times the typical size
/// among the numbers that a double holds exactly. A power of two rounds nothing.
double parts_of_byte(std::uint64_t typical_bytes) {
  if (typical_bytes == 0) return 1;
  constexpr int exact_bits = 53;
  constexpr int larger_bits = 3;
  return std::exp2(
      std::max(0, exact_bits - larger_bits - static_cast<int>(std::bit_width(typical_bytes))));
}

}  // namespace

LinkBandwidths::LinkBandwidths(bool fluid, std::uint64_t typical_bytes)
    : unit_(fluid ? parts_of_byte(typical_bytes) : 1) {
  for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    bandwidths_Bps_[link] = link->get_bandwidth();
    if (!fluid) continue;
    if (link->get_latency() > 0) latencies_s_[link] = link->get_latency();
    link->set_latency(0);
    if (unit_ != 1) link->set_bandwidth(unit_ * link->get_bandwidth());
  }
}

LinkBandwidths::Changed& LinkBandwidths::settled(const Link* link, double bandwidth_Bps) {
  Changed& changed = changed_.try_emplace(link, Changed{.plain_Bps = bandwidth_Bps}).first->second;
  const double now = s4u::Engine::get_clock();
  changed.full_bytes += (now - changed.since_s) * bandwidth_Bps;
  changed.since_s = now;
  return changed;
}

LinkBandwidths::Change LinkBandwidths::set_factor(const Link* link, double factor) {
  double& bandwidth = bandwidths_Bps_[link];
  Changed& changed = settled(link, bandwidth);
  changed.factor = factor;
  const double before = bandwidth;
  bandwidth = changed.plain_Bps * factor;
  return {before, bandwidth};
}

LinkBandwidths::Change LinkBandwidths::follow_profile(const Link* link) {
  double& bandwidth = bandwidths_Bps_[link];
  Changed& changed = settled(link, bandwidth);
  changed.plain_Bps = link->get_bandwidth();  // profiles know nothing of the unit
  const double before = bandwidth;
  bandwidth = changed.plain_Bps * changed.factor;
  return {before, bandwidth};
}

double LinkBandwidths::plain(const Link* link) const {
  const auto found = changed_.find(link);
  return found == changed_.end() ? now(link) : found->second.plain_Bps;
}

double LinkBandwidths::mean(const Link* link, double end) const {
  const double last = now(link);
  const auto found = changed_.find(link);
  if (found == changed_.end() || !(end > 0)) return last;
  const Changed& changed = found->second;
  return (changed.full_bytes + (end - changed.since_s) * last) / end;
}

}  // namespace motley
