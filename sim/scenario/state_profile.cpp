#include "sim/scenario/state_profile.hpp"

#include <algorithm>

namespace motley {

bool StateProfile::goes_off() const {
  return std::ranges::any_of(changes, [](const Change& change) { return !change.on; });
}

bool StateProfile::ends_off() const {
  if (changes.empty()) return false;
  if (!repeat_s) return !changes.back().on;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double end_s =
        i + 1 < changes.size() ? changes[i + 1].time_s : *repeat_s + changes.front().time_s;
    if (changes[i].on && end_s > changes[i].time_s) return false;
  }
  return true;
}

std::optional<double> ProfileOutages::next_change_to(bool on) {
  // What is not in one round of all changes is never.
  for (std::size_t seen = 0; seen < profile_.changes.size(); ++seen) {
    if (next_ == profile_.changes.size()) {
      if (!profile_.repeat_s) return std::nullopt;
      next_ = 0;
      begin_s_ += *profile_.repeat_s;
    }
    const StateProfile::Change& change = profile_.changes[next_++];
    if (change.on == on) return begin_s_ + change.time_s;
  }
  return std::nullopt;
}

std::optional<Outage> ProfileOutages::next() {
  for (std::size_t seen = 0; seen <= profile_.changes.size(); ++seen) {
    const std::optional<double> from_s = next_change_to(false);
    if (!from_s) return std::nullopt;
    const std::optional<double> until_s = next_change_to(true);
    if (!until_s) return Outage{.from_s = *from_s};
    if (*until_s > *from_s) return Outage{*from_s, *until_s};  // one that lasts no time is none
  }
  return std::nullopt;
}

}  // namespace motley
