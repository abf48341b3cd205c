#pragma once

#include <cstddef>
#include <vector>

#include <boost/container/small_vector.hpp>

namespace motley {

/// What the links have carried, and how long they were in use. Links are counted from 0.
class LinkLoads {
 public:
  struct Load {
    double bytes = 0;
    double background_bytes = 0;
    std::size_t flows = 0;  ///< that are on it now
    double busy_s = 0;      ///< up to the last moment without a flow
    double busy_since = 0;  ///< while there are flows
    double J_per_byte = 0;  ///< beyond what it draws without load

    double busy_up_to(double end) const { return busy_s + (flows > 0 ? end - busy_since : 0); }
  };
  using Links = boost::container::small_vector<std::size_t, 4>;  ///< that a message takes

  std::size_t size() const { return loads_.size(); }
  const Load& operator[](std::size_t link) const { return loads_[link]; }
  void add(double J_per_byte) {
    loads_.emplace_back();
    loads_.back().J_per_byte = J_per_byte;
  }

  // Around the time in which a message takes its share of its links.
  void occupy(const Links& links, double now) {
    for (const std::size_t link : links) {
      if (loads_[link].flows++ == 0) loads_[link].busy_since = now;
    }
  }
  void vacate(const Links& links, double now) {
    for (const std::size_t link : links) {
      if (--loads_[link].flows == 0) loads_[link].busy_s += now - loads_[link].busy_since;
    }
  }

  /// Returns what carrying them took beyond what the links draw without load.
  double carry(const Links& links, double bytes) {
    double energy_J = 0;
    for (const std::size_t link : links) {
      loads_[link].bytes += bytes;
      energy_J += bytes * loads_[link].J_per_byte;
    }
    return energy_J;
  }
  /// Of others.
  void carry_background(const Links& links, double bytes) {
    for (const std::size_t link : links) loads_[link].background_bytes += bytes;
  }

 private:
  std::vector<Load> loads_;
};

}  // namespace motley
