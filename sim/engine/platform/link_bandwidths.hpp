#pragma once

#include <cstdint>
#include <unordered_map>

#include <simgrid/s4u.hpp>

namespace motley {

/// What SimGrid's links carry, by the platform, its profiles and the scenario's factors, from first to
/// last. Inside SimGrid bandwidths are in parts of a byte, and in fluid there are no latencies: those are
/// taken off the links and paid by whoever sends.
class LinkBandwidths {
 public:
  using Link = simgrid::s4u::Link;

  /// `typical_bytes`: of a message; what is left of messages is exact to 2^-50 of it. 0: to a byte, and
  /// SimGrid's own trace then shows the links as they are.
  LinkBandwidths(bool fluid, std::uint64_t typical_bytes);

  /// How many of SimGrid's bytes make a byte.
  double unit() const { return unit_; }
  double now(const Link* link) const { return link->get_bandwidth() / unit_; }
  /// Without the scenario's factor.
  double plain(const Link* link) const;
  double mean(const Link* link, double end) const;
  /// What was taken off the link.
  double latency_s(const Link* link) const {
    const auto taken_off = latencies_s_.find(link);
    return taken_off == latencies_s_.end() ? 0 : taken_off->second;
  }

  struct Change {
    double before_Bps = 0;
    double after_Bps = 0;
  };
  /// From now on it has so many times what the platform gives it. SimGrid is to be told.
  Change set_factor(const Link* link, double factor);
  /// A profile has changed it inside SimGrid, which may have to be told more.
  Change follow_profile(const Link* link);
  void tell_simgrid(Link* link, double bandwidth_Bps) const {
    link->set_bandwidth(unit_ * bandwidth_Bps);
  }

 private:
  /// Of a link that has changed.
  struct Changed {
    double plain_Bps = 0;  // without the factor
    double factor = 1;
    double since_s = 0;     // it has this bandwidth
    double full_bytes = 0;  // that it could have carried up to then
  };

  /// It had this bandwidth up to now.
  Changed& settled(const Link* link, double bandwidth_Bps);

  double unit_;
  std::unordered_map<const Link*, double> bandwidths_Bps_;
  std::unordered_map<const Link*, double> latencies_s_;  // taken off the links
  std::unordered_map<const Link*, Changed> changed_;
};

}  // namespace motley
