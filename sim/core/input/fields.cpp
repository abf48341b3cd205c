#include "sim/core/input/fields.hpp"

#include <algorithm>
#include <sstream>

namespace motley {
namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string shown(double number) {
  std::ostringstream out;
  out << number;
  return out.str();
}

std::string without_list_of(const std::string& type) {
  const std::string prefix = "list of ";
  return type.starts_with(prefix) ? type.substr(prefix.size()) : type;
}

}  // namespace

bool FieldInfo::belongs_to(const std::string& kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::string FieldInfo::must_be() const {
  const std::string element = without_list_of(type);
  std::string text;
  if (element == "choice") {
    text = "one of " + listed(choices);
  } else if (element == "quantity") {
    text = "a " + dimension_name(dimension) + " with its unit";
  } else if (element == "integer") {
    text = "a whole number";
  } else if (element == "boolean") {
    text = "true or false";
  } else if (element == "text") {
    text = "text in quotes";
  } else if (element == "any") {
    text = "given";
  } else {
    text = (element == "object" ? "an " : "a ") + element;
  }
  const bool bounded_below = std::isfinite(minimum);
  const bool bounded_above = std::isfinite(maximum);
  if (bounded_below && bounded_above) {
    text += above_minimum ? " above " + shown(minimum) + " and at most " + shown(maximum)
                          : " from " + shown(minimum) + " to " + shown(maximum);
  } else if (bounded_below) {
    text += (above_minimum ? " above " : " of at least ") + shown(minimum);
  } else if (bounded_above) {
    text += " of at most " + shown(maximum);
  }
  if (element != type) text = "a list, each " + text;
  if (!word.empty()) text += " or \"" + word + "\"";
  return text;
}

namespace fields_detail {

void check_range(const FieldInfo& info, double number, const Json& value, const Place& place) {
  const bool low = info.above_minimum ? !(number > info.minimum) : !(number >= info.minimum);
  if (low || !(number <= info.maximum)) {
    throw InputError(place, "must be " + info.must_be(), value);
  }
}

double read_number(const FieldInfo& info, const Json& value, const Place& place) {
  if (info.dimension != Dimension::none) {
    const double number = parse_quantity(value, info.dimension, place);
    check_range(info, number, value, place);
    return number;
  }
  if (!value.is_number()) throw InputError(place, "must be " + info.must_be(), value);
  const double number = value.get<double>();
  check_range(info, number, value, place);
  return number;
}

std::int64_t read_integer(const FieldInfo& info, const Json& value, const Place& place) {
  constexpr double exact = 9007199254740992.0;  // 2^53: beyond it JSON numbers lose whole units
  if (!value.is_number()) throw InputError(place, "must be " + info.must_be(), value);
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > exact) {
    throw InputError(place, "must be " + info.must_be(), value);
  }
  check_range(info, number, value, place);
  return static_cast<std::int64_t>(number);
}

std::size_t read_choice(const FieldInfo& info, const Json& value, const Place& place) {
  if (value.is_string()) {
    const auto found =
        std::find(info.choices.begin(), info.choices.end(), value.get<std::string>());
    if (found != info.choices.end()) return static_cast<std::size_t>(found - info.choices.begin());
    throw InputError(
        place, "must be " + info.must_be() + did_you_mean(value.get<std::string>(), info.choices),
        value);
  }
  throw InputError(place, "must be " + info.must_be(), value);
}

std::string kind_of(const std::vector<FieldInfo>& infos, const Json& object) {
  for (const FieldInfo& info : infos) {
    if (info.name != "kind") continue;
    if (object.contains("kind") && object["kind"].is_string()) return object["kind"];
    if (info.fallback && info.fallback->is_string()) return *info.fallback;
  }
  return "";
}

void check_keys(const std::vector<FieldInfo>& infos, const Json& object, const Place& place) {
  if (!object.is_object()) throw InputError(place, "must be an object in braces", object);
  for (const FieldInfo& info : infos) {  // a wrong kind would make every other key look wrong
    if (info.name == "kind" && object.contains("kind")) {
      read_choice(info, object["kind"], place / "kind");
    }
  }
  const std::string kind = kind_of(infos, object);
  std::vector<std::string> names;
  for (const FieldInfo& info : infos) {
    if (info.belongs_to(kind)) names.push_back(info.name);
  }
  for (const auto& [key, value] : object.items()) {
    if (key.starts_with("//")) continue;
    const auto same_name = [&key = key](const FieldInfo& info) { return info.name == key; };
    const auto found = std::find_if(infos.begin(), infos.end(), same_name);
    if (found == infos.end()) {
      throw InputError(place / key,
                       "unknown key" + did_you_mean(key, names) + ", known here: " + listed(names));
    }
    if (!found->belongs_to(kind)) {
      throw InputError(place / key, "has no meaning with \"kind\": \"" + kind + "\", only with " +
                                        listed(found->kinds));
    }
  }
}

}  // namespace fields_detail
}  // namespace motley
