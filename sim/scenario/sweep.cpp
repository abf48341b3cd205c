#include "sim/scenario/sweep.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/scenario/value_list.hpp"

namespace motley {
namespace {

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
  for (const char* fixed : {"/name", "/$schema", "/baseline", "/sweep", "/replicas", "/tune"}) {
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

}  // namespace

std::vector<Axis> read_axes(const Json& sweep, const Place& place) {
  if (!sweep.is_object()) {
    throw InputError(place, "must be an object of JSON pointers, each with its values", sweep);
  }
  std::vector<Axis> axes;
  for (const auto& [pointer, given] : sweep.items()) {
    if (pointer.starts_with("//")) continue;
    const Place here = place / pointer;
    check_pointer(pointer, axes, here);
    axes.push_back({pointer, ValueList::read(given, here).values});
  }
  return axes;
}

JsonValue sweep_schema() {
  return Json{{"type", "object"},
              {"patternProperties", {{"^//", Json::object()}, {"^/[^/]", ValueList::schema()}}},
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
