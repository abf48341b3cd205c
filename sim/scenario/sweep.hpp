#pragma once

#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// One axis of a sweep: a place in the scenario and the values it takes there.
struct Axis {
  std::string pointer;
  std::vector<Json> values;
};

/// The axes of a scenario's "sweep": pointers with a list of values, or with {"from", "to",
/// "steps", "scale"}. InputError when one cannot be used.
std::vector<Axis> read_axes(const Json& sweep, const Place& place);

/// The JSON Schema of a "sweep".
JsonValue sweep_schema();

/// One value of each axis, for every point of their product; the last axis changes fastest. Without
/// axes there is one point, without values.
std::vector<std::vector<Json>> points_of(const std::vector<Axis>& axes);

/// A value as tables show it: text without its quotes, anything else as JSON.
std::string shown_value(const Json& value);

/// What distinguishes a point in the name of its runs: "-ratio=4-bandwidth=1Gbps"; empty without
/// axes. Only letters, digits and "-=._+"; different points have different names.
std::vector<std::string> point_names(const std::vector<Axis>& axes);

}  // namespace motley
