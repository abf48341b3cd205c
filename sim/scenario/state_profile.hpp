#pragma once

#include <optional>
#include <vector>

#include "sim/scenario/outage.hpp"

namespace motley {

/// When a host of a platform file goes off and on, as its state_file says.
struct StateProfile {
  struct Change {
    double time_s = 0;
    bool on = true;
  };
  std::vector<Change> changes;          ///< in order of time; before the first it is on
  std::optional<double> repeat_s = {};  ///< from the beginning of one round to that of the next

  bool goes_off() const;
  /// Whether it is off from some moment on.
  bool ends_off() const;
};

/// The times in which a host is off by its profile, one after another.
class ProfileOutages {
 public:
  /// The profile must outlive this.
  explicit ProfileOutages(const StateProfile& profile) : profile_(profile) {}

  /// Empty when there is none any more.
  std::optional<Outage> next();

 private:
  /// The time of the next change that switches it on, or off; empty when there is none.
  std::optional<double> next_change_to(bool on);

  const StateProfile& profile_;
  std::size_t next_ = 0;
  double begin_s_ = 0;  // of the present round
};

}  // namespace motley
