#include "sim/results/bottleneck.hpp"

#include <algorithm>

namespace motley {
namespace {

/// What is not worth naming.
constexpr double smallest_gain = 1.02;
/// Of what the whole brings, for a part to be named instead.
constexpr double nearly_all = 0.9;

bool is_part_of(const std::string& part, const std::string& whole) {
  if (whole == "bandwidth_x2") return part == "server_bandwidth_x2";
  return whole == "compute_x2" && (part.starts_with("speed_x2:") || part == "server_speed_x2");
}

bool brings_nearly_as_much(const Gain& part, const Gain& whole) {
  return part.why_not.empty() && is_part_of(part.change, whole.change) &&
         part.updates - 1 >= nearly_all * (whole.updates - 1);
}

}  // namespace

bool improves_something(const std::string& change) {
  return change != "as_is" && !change.starts_with("without:");
}

std::vector<Gain> worth_naming(const std::vector<Gain>& gains) {
  std::vector<Gain> named;
  for (const Gain& gain : gains) {
    const bool in_part = std::ranges::any_of(
        gains, [&](const Gain& part) { return brings_nearly_as_much(part, gain); });
    if (gain.why_not.empty() && gain.updates >= smallest_gain && !in_part) named.push_back(gain);
  }
  std::ranges::stable_sort(named, [](const Gain& a, const Gain& b) {
    const bool a_limits = improves_something(a.change);
    const bool b_limits = improves_something(b.change);
    return a_limits != b_limits ? a_limits : a.updates > b.updates;
  });
  return named;
}

}  // namespace motley
