#pragma once

#include <optional>

#include "sim/base/place.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What a host of a platform file may say of itself by its properties, as a class of workers does in a
/// scenario.
struct HostProperties {
  std::optional<double> busy_W;
  std::optional<double> idle_W;
  std::optional<double> off_W;
  std::optional<double> price_per_hour;
  std::optional<std::size_t> max_batch;

  static Fields<HostProperties> fields();
};

/// Gives the host what its properties, all text, say. Those with other names are somebody else's.
/// InputError at `place`, of the host.
void apply_properties(const Json& properties, const Place& place, HostPlan& host);

}  // namespace motley
