#include "sim/scenario/sweep.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/scenario/field_schema.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {
namespace {

constexpr std::size_t most_points = 1'000'000;

/// {"from": 1, "to": 32, "steps": 6, "scale": "log"}
struct Range {
  enum class Scale { linear, log };
  Json from;
  Json to;
  std::size_t steps = 0;
  Scale scale = Scale::linear;

  static Fields<Range> fields() {
    const Json amount = {{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}};
    Fields<Range> f;
    f.add({.name = "from", .doc = "the first value, with its unit if it has one", .schema = amount},
          &Range::from);
    f.add({.name = "to", .doc = "the last value", .schema = amount}, &Range::to);
    f.add({.name = "steps", .doc = "how many values", .minimum = 2, .maximum = most_points},
          &Range::steps);
    f.add({.name = "scale",
           .doc = "equal differences (linear) or equal ratios (log)",
           .fallback = "linear",
           .choices = {"linear", "log"}},
          &Range::scale);
    return f;
  }
};

/// A number, or a number with a unit after it.
struct Amount {
  double number = 0;
  std::string unit;
};

Amount read_amount(const Json& value, const Place& place) {
  if (value.is_number()) return {value.get<double>(), ""};
  if (value.is_string()) {
    const std::string text = value;
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end != text.c_str() && std::isfinite(number)) return {number, end};
  }
  throw InputError(place, "must be a number, or a number with its unit in quotes", value);
}

/// Twelve digits: the third of six steps from 1 to 32 is 4, not 4.000000000000001.
Json rounded(double number, const std::string& unit) {
  const std::string text = [number] {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.12g", number);
    return std::string(buffer);
  }();
  if (!unit.empty()) return text + unit;
  return Json::parse(text);
}

std::vector<Json> values_of(Json range_json, const Place& place) {
  Range range;
  Range::fields().read(range_json, place, range);
  const Amount from = read_amount(range.from, place / "from");
  const Amount to = read_amount(range.to, place / "to");
  if (from.unit != to.unit) {
    throw InputError(place / "to", "must have the unit of \"from\"", range.to);
  }
  const bool log = range.scale == Range::Scale::log;
  if (log && !(from.number > 0 && to.number > 0)) {
    throw InputError(place, "needs \"from\" and \"to\" above 0 for the scale log", range_json);
  }
  // Neither the difference nor the ratio of two doubles need be one.
  if (!std::isfinite(log ? to.number / from.number : to.number - from.number) ||
      (log && to.number / from.number == 0)) {
    throw InputError(place, "spans more than numbers can: bring \"from\" and \"to\" nearer",
                     range_json);
  }
  std::vector<Json> values;
  for (std::size_t i = 0; i < range.steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(range.steps - 1);
    values.push_back(rounded(log ? from.number * std::pow(to.number / from.number, part)
                                 : from.number + (to.number - from.number) * part,
                             from.unit));
  }
  return values;
}

bool lies_inside(const std::string& inner, const std::string& outer) {
  return inner == outer || inner.starts_with(outer + "/");
}

void check_pointer(const std::string& pointer, const std::vector<Axis>& before,
                   const Place& place) {
  try {
    if (Json::json_pointer(pointer).empty()) throw InputError(place, "must name a key");
  } catch (const Json::exception&) {
    throw InputError(place,
                     "is not a JSON pointer into the scenario (an example: /cost/model_size)");
  }
  if (pointer.ends_with("/-")) {
    throw InputError(place, "must name a value that can be replaced; \"-\" would append one");
  }
  for (const char* fixed : {"/name", "/$schema", "/baseline", "/sweep", "/replicas"}) {
    if (lies_inside(pointer, fixed)) {
      throw InputError(place,
                       std::string("cannot be swept: ") + fixed + " is of all runs together");
    }
  }
  for (const Axis& other : before) {
    if (lies_inside(other.pointer, pointer)) {
      throw InputError(place, "must come before " + other.pointer + ", which it would overwrite");
    }
  }
}

std::vector<Json> read_values(const Json& given, const Place& place) {
  const std::vector<Json> values = given.is_object() ? values_of(given, place)
                                   : given.is_array()
                                       ? std::vector<Json>(given.begin(), given.end())
                                       : std::vector<Json>();
  if (values.empty()) {
    throw InputError(place,
                     "must be a list of values, or {\"from\": 1, \"to\": 32, \"steps\": 6, "
                     "\"scale\": \"log\"}",
                     given);
  }
  std::set<Json> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!seen.insert(values[i]).second) {
      throw InputError(given.is_array() ? place / i : place, "is there twice", values[i]);
    }
  }
  return values;
}

/// The last keys of each pointer, as few as tell it from the others; none begins with an index.
std::vector<std::string> short_names(const std::vector<Axis>& axes) {
  const auto tail = [](const std::string& pointer, std::size_t keys) {
    std::size_t begin = pointer.size();
    for (; keys > 0 && begin > 0; --keys) begin = pointer.rfind('/', begin - 1);
    return pointer.substr(begin + 1);
  };
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    const auto ambiguous = [&](const std::string& name) {
      return name.size() + 1 < axis.pointer.size() &&
             (std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
              std::count_if(axes.begin(), axes.end(), [&](const Axis& other) {
                return other.pointer.ends_with("/" + name);
              }) > 1);
    };
    std::size_t keys = 1;
    while (ambiguous(tail(axis.pointer, keys))) ++keys;
    names.push_back(tail(axis.pointer, keys));
  }
  return names;
}

std::string name_part(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
        std::string("._+-").find(c) == std::string::npos) {
      c = '_';
    }
  }
  return text;
}

Json without_comments(const Json& value) {
  if (!value.is_structured()) return value;
  Json plain = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, part] : value.items()) {
    if (value.is_array())
      plain.push_back(without_comments(part));
    else if (!key.starts_with("//"))
      plain[key] = without_comments(part);
  }
  return plain;
}

}  // namespace

std::vector<Axis> read_axes(const Json& sweep, const Place& place) {
  if (!sweep.is_object()) {
    throw InputError(place, "must be an object of JSON pointers, each with its values", sweep);
  }
  std::vector<Axis> axes;
  std::size_t points = 1;
  for (const auto& [pointer, given] : sweep.items()) {
    if (pointer.starts_with("//")) continue;
    const Place here = place / pointer;
    check_pointer(pointer, axes, here);
    axes.push_back({pointer, read_values(without_comments(given), here)});
    if (axes.back().values.size() > most_points / points) {
      throw InputError(place, "has more than " + std::to_string(most_points) + " points");
    }
    points *= axes.back().values.size();
  }
  return axes;
}

Json sweep_schema() {
  const Json values = {{"anyOf", {{{"type", "array"}}, object_schema(Range::fields().infos())}}};
  return {{"type", "object"},
          {"patternProperties", {{"^//", Json::object()}, {"^/[^/]", values}}},
          {"additionalProperties", false}};
}

std::vector<std::vector<Json>> points_of(const std::vector<Axis>& axes) {
  std::vector<std::vector<Json>> points = {{}};
  for (const Axis& axis : axes) {
    std::vector<std::vector<Json>> longer;
    for (const std::vector<Json>& point : points) {
      for (const Json& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::string shown_value(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<std::string> point_names(const std::vector<Axis>& axes) {
  const std::vector<std::string> keys = short_names(axes);
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const std::vector<Json>& point : points_of(axes)) {
    std::string name;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      constexpr std::size_t longest = 20;
      const std::string value = shown_value(point[i]);
      const bool readable = !point[i].is_structured() && value.size() <= longest;
      name += "-" + name_part(keys[i]) + "=" +
              (readable ? name_part(value) : digest(point[i].dump()).substr(0, 8));
    }
    if (!taken.insert(name).second) {  // characters that had to be replaced made the difference
      name += "-" + digest(Json(point).dump()).substr(0, 8);
      taken.insert(name);
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace motley
