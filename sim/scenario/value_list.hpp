#pragma once

#include <optional>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// The values of one axis of a sweep or of one grid of tuning: a list as it was written, or a range
/// {"from", "to", "steps", "scale"}.
struct ValueList {
  enum class Scale { none, linear, log };
  std::vector<Json> values;
  /// Equal differences or ratios; none of what is no number, or of numbers with different units.
  Scale scale = Scale::none;
  bool is_range = false;

  /// The values of a range as whole numbers, each once; what was listed stays as it is.
  void round_range();
  /// InputError when it is neither list nor range, is empty, or has a value twice.
  static ValueList read(const Json& given, const Place& place);
  /// The JSON Schema of what read() takes.
  static Json schema();
};

/// Numbers rounded to whole ones, each value once.
std::vector<Json> whole_values(const std::vector<Json>& values);

/// A number, or a number with a unit after it.
struct Amount {
  double number = 0;
  std::string unit;
};
/// Empty for anything else.
std::optional<Amount> amount_of(const Json& value);

/// What comes after `last` at the same ratio or difference as it comes after `before`; whole when
/// both are. Empty when there is no such amount.
std::optional<Json> next_value(const Json& before, const Json& last, ValueList::Scale scale);

}  // namespace motley
