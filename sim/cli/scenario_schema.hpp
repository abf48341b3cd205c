#pragma once

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// The JSON Schema of scenario files, made from the descriptions that read them: the scenario's
/// own and those of every algorithm's parameters.
Json scenario_schema();

}  // namespace motley
