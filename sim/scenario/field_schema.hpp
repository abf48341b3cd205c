#pragma once

#include <vector>

#include "sim/base/json.hpp"
#include "sim/scenario/fields.hpp"

/// JSON Schema (draft 7) of what the field descriptions accept, for editors. It says less than the
/// program checks: ranges of quantities with units, and keys that depend on each other, are left to
/// `motley validate`.
namespace motley {

/// Of an object with these keys; keys that begin with "//" are comments.
Json object_schema(const std::vector<FieldInfo>& fields);

/// Of the value of one key, with its documentation.
Json value_schema(const FieldInfo& field);

}  // namespace motley
