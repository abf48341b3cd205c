#include "sim/scenario/value_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "sim/scenario/field_schema.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {
namespace {

constexpr std::size_t most_values = 1'000'000;

/// {"from": 1, "to": 32, "steps": 6, "scale": "log"}
struct Range {
  enum class Scale { linear, log };
  Json from;
  Json to;
  std::size_t steps = 0;
  Scale scale = Scale::linear;

  static JsonValue amount_schema() {
    return Json{{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}};
  }

  static Fields<Range> fields() {
    Fields<Range> f;
    f.add({.name = "from",
           .doc = "the first value, with its unit if it has one",
           .schema = amount_schema},
          &Range::from);
    f.add({.name = "to", .doc = "the last value", .schema = amount_schema}, &Range::to);
    f.add({.name = "steps", .doc = "how many values", .minimum = 2, .maximum = most_values},
          &Range::steps);
    f.add({.name = "scale",
           .doc = "equal differences (linear) or equal ratios (log)",
           .fallback = "linear",
           .choices = {"linear", "log"}},
          &Range::scale);
    return f;
  }
};

Amount read_amount(const Json& value, const Place& place) {
  const std::optional<Amount> amount = amount_of(value);
  if (!amount) {
    throw InputError(place, "must be a number, or a number with its unit in quotes", value);
  }
  return *amount;
}

/// Twelve digits: the third of six steps from 1 to 32 is 4, not 4.000000000000001.
Json rounded(double number, const std::string& unit) {
  const std::string text = [number] {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.12g", number);
    return std::string(buffer);
  }();
  if (!unit.empty()) return text + unit;
  return *JsonValue::parse(text.c_str());
}

ValueList list_of_range(Json range_json, const Place& place) {
  Range range;
  fields_of<Range>().read(range_json, place, range);
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
  ValueList list{{},
                 log ? ValueList::Scale::log : ValueList::Scale::linear,
                 ValueList::Span{std::min(from.number, to.number), std::max(from.number, to.number),
                                 range.steps}};
  for (std::size_t i = 0; i < range.steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(range.steps - 1);
    list.values.push_back(rounded(log ? from.number * std::pow(to.number / from.number, part)
                                      : from.number + (to.number - from.number) * part,
                                  from.unit));
  }
  return list;
}

/// Of values that somebody has listed: linear when their differences are equal, otherwise log if
/// they can be.
ValueList::Scale scale_of(const std::vector<Json>& values) {
  std::vector<double> numbers;
  std::set<std::string> units;
  for (const Json& value : values) {
    const std::optional<Amount> amount = amount_of(value);
    if (!amount) return ValueList::Scale::none;
    numbers.push_back(amount->number);
    units.insert(amount->unit);
  }
  if (units.size() > 1) return ValueList::Scale::none;
  std::sort(numbers.begin(), numbers.end());
  bool even = true;
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    const double step = numbers[1] - numbers[0];
    even = even && std::abs(numbers[i] - numbers[i - 1] - step) <= 1e-9 * std::abs(step);
  }
  const bool linear = (even && numbers.size() > 2) || numbers.front() <= 0;
  return linear ? ValueList::Scale::linear : ValueList::Scale::log;
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

std::optional<Amount> amount_of(const Json& value) {
  if (value.is_number()) return Amount{value.get<double>(), ""};
  if (!value.is_string()) return std::nullopt;
  const std::string text = value;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(number)) return std::nullopt;
  return Amount{number, end};
}

std::optional<Json> value_beyond(const ValueList& list, bool upper, std::size_t k) {
  const std::size_t n = list.values.size();
  if (list.scale == ValueList::Scale::none || n < 2) return std::nullopt;
  const Json& last = list.values[upper ? n - 1 : 0];
  const Json& before = list.values[upper ? n - 2 : 1];
  double end = amount_of(last)->number;
  double inner = amount_of(before)->number;
  auto steps = static_cast<double>(k);
  if (list.range) {  // from its own ends: no rounding adds up
    end = upper ? list.range->high : list.range->low;
    inner = upper ? list.range->low : list.range->high;
    steps /= static_cast<double>(list.range->steps - 1);
  }
  double number = list.scale == ValueList::Scale::log ? end * std::pow(end / inner, steps)
                                                      : end + steps * (end - inner);
  if (list.only_whole) number = std::round(number);
  if (!std::isfinite(number) || (number == 0 && list.scale == ValueList::Scale::log)) {
    return std::nullopt;
  }
  return rounded(number, amount_of(last)->unit);
}

std::vector<Json> whole_values(const std::vector<Json>& values) {
  std::vector<Json> whole;
  std::set<Json> seen;
  for (const Json& value : values) {
    const Json next = value.is_number() ? Json(std::llround(value.get<double>())) : value;
    if (seen.insert(next).second) whole.push_back(next);
  }
  return whole;
}

void ValueList::keep_whole() {
  only_whole = true;
  if (range) values = whole_values(values);
}

ValueList ValueList::read(const Json& written, const Place& place) {
  const Json given = without_comments(written);
  ValueList list;
  if (given.is_object()) list = list_of_range(given, place);
  if (given.is_array()) list.values.assign(given.begin(), given.end());
  if (list.values.empty()) {
    throw InputError(place,
                     "must be a list of values, or {\"from\": 1, \"to\": 32, \"steps\": 6, "
                     "\"scale\": \"log\"}",
                     given);
  }
  std::set<Json> seen;
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    if (!seen.insert(list.values[i]).second) {
      throw InputError(given.is_array() ? place / i : place, "is there twice", list.values[i]);
    }
  }
  if (given.is_array()) list.scale = scale_of(list.values);
  return list;
}

Json ValueList::schema() {
  return {{"anyOf", {{{"type", "array"}}, object_schema(Range::fields().infos())}}};
}

}  // namespace motley
