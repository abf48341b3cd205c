#pragma once

/// The whole of Json, for those who look into it. Others need only its name, from place.hpp, and
/// compile in a fraction of the time.
#include <nlohmann/json.hpp>

#include "sim/base/place.hpp"
