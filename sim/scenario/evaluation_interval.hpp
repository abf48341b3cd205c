#pragma once

#include <cstdint>
#include <optional>

#include "sim/base/json_value.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// How often a run is evaluated: written as "3s" of virtual time, 10 updates, or "auto".
struct EvaluationInterval {
  /// With "auto": about so many points over the run, however long it is.
  static constexpr double automatic_points = 100;

  std::optional<double> time_s;
  std::optional<std::uint64_t> updates;

  bool automatic() const { return !time_s && !updates; }

  static EvaluationInterval read(const Json& value, const Place& place);
  static JsonValue schema();
};

}  // namespace motley
