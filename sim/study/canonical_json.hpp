#pragma once

#include "sim/base/json.hpp"

namespace motley {

/// Without its comments, sorted, whole numbers without a point: what is written otherwise but means
/// the same is the same.
Json canonical(const Json& json);

}  // namespace motley
