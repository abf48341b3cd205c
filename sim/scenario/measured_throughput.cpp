#include "sim/scenario/measured_throughput.hpp"

#include <algorithm>
#include <map>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {
namespace {

double read_throughput(const Json& value, const Place& place) {
  const FieldInfo info = {
      .name = {}, .doc = {}, .minimum = 0, .above_minimum = true, .type = "number"};
  double samples_per_s = 0;
  fields_detail::read_number(info, value, place, samples_per_s);
  return samples_per_s;
}

std::size_t read_batch(const std::string& key, const Place& place) {
  constexpr std::size_t most_digits = 9;
  if (key.empty() || key.size() > most_digits || key[0] == '0' ||
      key.find_first_not_of("0123456789") != std::string::npos) {
    throw InputError(place, "must be a batch size, a whole number of at least 1 in quotes",
                     Json(key));
  }
  return std::stoul(key);
}

}  // namespace

MeasuredThroughput MeasuredThroughput::read(const Json& value, const Place& place) {
  MeasuredThroughput throughput;
  if (!value.is_object()) {
    if (!value.is_number()) {
      throw InputError(place,
                       "must be a number above 0, or one for each batch size that was measured, "
                       "such as {\"1\": 40, \"32\": 410}",
                       value);
    }
    throughput.full_ = read_throughput(value, place);
    throughput.points_ = {{1, 1}};
    return throughput;
  }
  std::map<std::size_t, double> measured;
  for (const auto& [key, samples_per_s] : value.items()) {
    if (key.starts_with("//")) continue;
    measured[read_batch(key, place / key)] = read_throughput(samples_per_s, place / key);
  }
  if (measured.empty()) throw InputError(place, "must have at least one batch size", value);
  throughput.full_ = measured.rbegin()->second;
  const auto slower = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(measured.begin(), measured.end(), slower);
  if (most->second > 1e12 * least->second) {  // beyond it a batch takes for ever, or no time
    throw InputError(place, "must not differ by more than a factor of 1e12", value);
  }
  for (const auto& [batch, samples_per_s] : measured) {
    const auto b = static_cast<double>(batch);
    throughput.points_.push_back({b, b * (throughput.full_ / samples_per_s)});
  }
  return throughput;
}

JsonValue MeasuredThroughput::schema() {
  const Json number = {
      {"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", limits::largest_number}};
  return Json{{"anyOf",
               {number,
                {{"type", "object"},
                 {"minProperties", 1},
                 {"patternProperties", {{"^[1-9][0-9]{0,8}$", number}, {"^//", Json::object()}}},
                 {"additionalProperties", false}}}}};
}

std::optional<std::pair<std::size_t, std::size_t>> MeasuredThroughput::falling_time() const {
  for (std::size_t i = 1; i < points_.size(); ++i) {
    if (points_[i].full < points_[i - 1].full) {
      return std::pair(static_cast<std::size_t>(points_[i - 1].batch),
                       static_cast<std::size_t>(points_[i].batch));
    }
  }
  return std::nullopt;
}

double MeasuredThroughput::samples_at_full_speed(std::size_t n) const {
  const auto b = static_cast<double>(n);
  const auto on_line = [b](const Point& from, const Point& to) {
    return from.full + (b - from.batch) * ((to.full - from.full) / (to.batch - from.batch));
  };
  if (b >= points_.back().batch || is_constant()) return b;
  const Point& first = points_[0];
  if (b < first.batch) {
    const Point& second = points_[1];
    const bool starts_above_nothing = first.full * second.batch >= second.full * first.batch;
    return starts_above_nothing ? on_line(first, second) : b * (first.full / first.batch);
  }
  const auto after = std::find_if(points_.begin(), points_.end(),
                                  [b](const Point& point) { return point.batch >= b; });
  return after->batch == b ? after->full : on_line(*std::prev(after), *after);
}

}  // namespace motley
