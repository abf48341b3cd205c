#pragma once

#include <string>

#include "sim/core/input/place.hpp"
#include "sim/core/json.hpp"

namespace motley {

/// The JSON of a file. A key given twice, or a mistake in the JSON (by line and column), is an
/// InputError.
Json parse_json_file(const std::string& file);

/// The JSON of a text at this place, discarded (see is_discarded()) when it is none; a key given
/// twice is an InputError.
Json parse_json(const std::string& text, const Place& place);

}  // namespace motley
