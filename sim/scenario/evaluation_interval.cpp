#include "sim/scenario/evaluation_interval.hpp"

#include <cmath>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"
#include "sim/scenario/units.hpp"

namespace motley {

EvaluationInterval EvaluationInterval::read(const Json& value, const Place& place) {
  const char* must =
      "must be a time with its unit (\"3s\"), a whole number of updates of at least 1, or \"auto\"";
  if (value.is_string() && value.get<std::string>() == "auto") return {};
  if (value.is_string()) {
    const double time_s = parse_quantity(value, Dimension::time, place);
    if (!(time_s > 0)) throw InputError(place, must, value);
    return {time_s, std::nullopt};
  }
  const double updates = value.is_number() ? value.get<double>() : 0;
  if (!(updates >= 1 && updates == std::floor(updates) && updates <= limits::largest_whole)) {
    throw InputError(place, must, value);
  }
  return {std::nullopt, value.get<std::uint64_t>()};
}

JsonValue EvaluationInterval::schema() {
  return Json{{"anyOf",
               {{{"const", "auto"}},
                {{"type", "integer"}, {"minimum", 1}},
                {{"type", "string"}, {"pattern", quantity_pattern(Dimension::time, false)}}}}};
}

}  // namespace motley
