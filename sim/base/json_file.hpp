#pragma once

#include <string>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// The JSON of a file. A key given twice, or a mistake in the JSON (by line and column), is an
/// InputError; so is what is nested too deep or too large a number, and a file that is no regular
/// one.
Json parse_json_file(const std::string& file);

/// The JSON of a text at this place, discarded (see is_discarded()) when it is none; a key given
/// twice, too deep nesting and too large a number are InputErrors.
Json parse_json(const std::string& text, const Place& place);

}  // namespace motley
