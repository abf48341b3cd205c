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
  /// The numbers of a range, the smaller first.
  struct Span {
    double low = 0;
    double high = 0;
    std::size_t steps = 0;
  };
  std::optional<Span> range = {};  ///< empty: the values were listed

  bool only_whole = false;  ///< no other numbers will do

  /// Makes the values of a range whole numbers, each once; what was listed stays as it is.
  void keep_whole();
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

/// The k-th value, from 1, beyond the upper or lower end of a list that is in ascending order: a range
/// goes on as it is, a list at the ratio or difference of its last two; whole where only that will do.
/// Empty when there is no such amount.
std::optional<Json> value_beyond(const ValueList& list, bool upper, std::size_t k);

}  // namespace motley
