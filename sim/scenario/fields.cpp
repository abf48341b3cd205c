#include "sim/scenario/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"

namespace motley {
namespace {

std::string alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string shown(double number) {
  std::array<char, 32> buffer{};
  const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
  const auto end = whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                         static_cast<std::int64_t>(number))
                         : std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end.ptr};
}

const std::string list_of = "list of ";

}  // namespace

bool FieldInfo::belongs_to(const std::string& kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

FieldInfo FieldInfo::element() const {
  FieldInfo info = *this;
  if (type.starts_with(list_of)) info.type = type.substr(list_of.size());
  return info;
}

std::string FieldInfo::must_be() const {
  if (type == list_of + "any") return "a list in square brackets";
  if (type.starts_with(list_of)) return "a list in square brackets, each " + element().must_be();
  std::string text;
  if (type == "choice") {
    text = "one of " + alternatives(choices);
  } else if (type == "quantity") {
    text = "a " + dimension_name(dimension) + " with its unit,";
  } else if (type == "integer") {
    text = "a whole number";
  } else if (type == "boolean") {
    text = "true or false";
  } else if (type == "text") {
    text = "text in quotes";
  } else if (type == "any") {
    text = "given";
  } else if (type == "object") {
    text = "an object in braces";
  } else {
    text = "a " + type;
  }
  const bool bounded_below = std::isfinite(minimum);
  const bool bounded_above = std::isfinite(maximum);
  if (bounded_below && bounded_above) {
    if (above_minimum || below_maximum) {
      text += (above_minimum ? " above " : " of at least ") + shown(minimum) + " and " +
              (below_maximum ? "below " : "at most ") + shown(maximum);
    } else {
      text += " from " + shown(minimum) + " to " + shown(maximum);
    }
  } else if (bounded_below) {
    text += (above_minimum ? " above " : " of at least ") + shown(minimum);
  } else if (bounded_above) {
    text += " of at most " + shown(maximum);
  }
  if (text.back() == ',') text.pop_back();  // no bounds came after the unit
  if (!word.empty()) text += " or \"" + word + "\"";
  return text;
}

FieldInfo::~FieldInfo() = default;

namespace fields_detail {

void append(std::vector<FieldInfo>& infos, const FieldInfo& info, std::string type_name,
            JsonValue (*schema)(), bool is_optional, const FieldList& children) {
  FieldInfo& added = infos.emplace_back(info);
  if (added.type.empty()) added.type = std::move(type_name);
  if (added.schema == nullptr) added.schema = schema;
  added.may_be_absent = !info.fallback && is_optional;
  added.children = children;
}

void append(std::vector<FieldInfo>& infos, const std::vector<FieldInfo>& others) {
  infos.insert(infos.end(), others.begin(), others.end());
}

namespace {

void check_range(const FieldInfo& info, double number, const Json& value, const Place& place) {
  const bool low = info.above_minimum ? !(number > info.minimum) : !(number >= info.minimum);
  const bool high = info.below_maximum ? !(number < info.maximum) : !(number <= info.maximum);
  if (low || high) {
    throw InputError(place, "must be " + info.must_be(), value);
  }
}

}  // namespace

void read_number(const FieldInfo& info, const Json& value, const Place& place, double& out) {
  if (info.dimension != Dimension::none) {
    out = parse_quantity(value, info.dimension, place);
  } else {
    if (!value.is_number()) throw InputError(place, "must be " + info.must_be(), value);
    out = value.get<double>();
  }
  check_range(info, out, value, place);
  const double size = std::abs(out);
  const bool plain = info.dimension == Dimension::none;
  if (plain && (size > limits::largest_number || (size != 0 && size < limits::smallest_number))) {
    throw InputError(place, "must be of a size from 1e-37 to 1e38", value);
  }
}

void read_integer(const FieldInfo& info, const Json& value, const Place& place, std::int64_t& out) {
  if (!value.is_number()) throw InputError(place, "must be " + info.must_be(), value);
  const double number = value.get<double>();
  if (number != std::floor(number)) throw InputError(place, "must be " + info.must_be(), value);
  check_range(info, number, value, place);
  const double largest = std::isfinite(info.maximum) ? info.maximum : limits::largest_count;
  if (std::abs(number) > largest) {
    throw InputError(place, "must be a whole number of at most " + shown(largest), value);
  }
  out = static_cast<std::int64_t>(number);
}

void read_boolean(const Json& value, const Place& place, bool& out) {
  if (!value.is_boolean()) throw InputError(place, "must be true or false", value);
  out = value.get<bool>();
}

void read_text(const FieldInfo& info, const Json& value, const Place& place, std::string& out) {
  if (!value.is_string()) throw InputError(place, "must be " + info.must_be(), value);
  out = value.get<std::string>();
}

void copy(const Json& value, Json& out) {
  out = value;
}

bool is_word(const FieldInfo& info, const Json& value) {
  return !info.word.empty() && value.is_string() && value.get<std::string>() == info.word;
}

std::size_t list_size(const FieldInfo& info, const Json& value, const Place& place) {
  if (!value.is_array()) throw InputError(place, "must be " + info.must_be(), value);
  return value.size();
}

JsonValue list_schema(const JsonValue& element) {
  return Json{{"type", "array"}, {"items", *element}};
}

Json& element_of(Json& list, std::size_t index) {
  return list[index];
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

namespace {

/// The "kind" (or "law") of an object, or of its fallback; empty when these fields have no kinds.
std::string kind_of(const std::vector<FieldInfo>& infos, const Json& object) {
  for (const FieldInfo& info : infos) {
    if (!info.decides_kind()) continue;
    if (object.contains(info.name) && object[info.name].is_string()) return object[info.name];
    if (info.fallback && info.fallback->is_string()) return *info.fallback;
  }
  return "";
}

[[noreturn]] void fail_missing(const FieldInfo& info, const Place& place) {
  throw InputError(place, "needs \"" + info.name + "\": " + info.must_be() + " (" + info.doc + ")");
}

}  // namespace

std::vector<Json*> values_of(const std::vector<FieldInfo>& infos, Json& object,
                             const Place& place) {
  check_keys(infos, object, place);
  const std::string kind = kind_of(infos, object);
  // First all fallbacks: an object's values move when keys are added.
  for (const FieldInfo& info : infos) {
    if (!info.belongs_to(kind) || object.contains(info.name) || info.may_be_absent) continue;
    if (!info.fallback) fail_missing(info, place);
    object[info.name] = *info.fallback;
  }
  std::vector<Json*> values(infos.size(), nullptr);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].belongs_to(kind) && object.contains(infos[i].name)) {
      values[i] = &object[infos[i].name];
    }
  }
  return values;
}

std::vector<Json*> given_values_of(const std::vector<FieldInfo>& infos, Json& object,
                                   const Place& place) {
  check_keys(infos, object, place);
  std::vector<Json*> values(infos.size(), nullptr);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (object.contains(infos[i].name)) values[i] = &object[infos[i].name];
  }
  return values;
}

}  // namespace fields_detail

void check_keys(const std::vector<FieldInfo>& infos, const Json& object, const Place& place) {
  if (!object.is_object()) throw InputError(place, "must be an object in braces", object);
  std::string deciding;
  for (const FieldInfo& info : infos) {  // a wrong kind would make every other key look wrong
    if (!info.decides_kind()) continue;
    deciding = info.name;
    if (object.contains(deciding))
      fields_detail::read_choice(info, object[deciding], place / deciding);
    if (!object.contains(deciding) && !info.fallback) fields_detail::fail_missing(info, place);
  }
  const std::string kind = fields_detail::kind_of(infos, object);
  for (const auto& [key, value] : object.items()) {
    if (key.starts_with("//")) continue;
    const auto same_name = [&key = key](const FieldInfo& info) { return info.name == key; };
    const auto found = std::find_if(infos.begin(), infos.end(), same_name);
    if (found == infos.end()) {
      std::vector<std::string> names;
      for (const FieldInfo& info : infos) {
        if (info.belongs_to(kind)) names.push_back(info.name);
      }
      throw InputError(place / key, "unknown key" + did_you_mean(key, names) +
                                        ", known here: " + alternatives(names));
    }
    if (!found->belongs_to(kind)) {
      throw InputError(place / key, "has no meaning with \"" + deciding + "\": \"" + kind +
                                        "\", only with " + alternatives(found->kinds));
    }
  }
}

}  // namespace motley
