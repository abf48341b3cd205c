#include "sim/scenario/units.hpp"

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"

namespace motley {
namespace {

struct Unit {
  const char* name;
  double si;
};

const std::vector<Unit>& table(Dimension dimension) {
  static const std::vector<Unit> none;
  static const std::vector<Unit> time = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                                         {"s", 1},     {"min", 60},  {"h", 3600}};
  static const std::vector<Unit> data = {{"B", 1},           {"kB", 1e3},   {"MB", 1e6},
                                         {"GB", 1e9},        {"KiB", 1024}, {"MiB", 1048576},
                                         {"GiB", 1073741824}};
  static const std::vector<Unit> rate = {
      {"bps", 0.125}, {"kbps", 125}, {"Mbps", 1.25e5}, {"Gbps", 1.25e8}, {"Tbps", 1.25e11},
      {"Bps", 1},     {"kBps", 1e3}, {"MBps", 1e6},    {"GBps", 1e9},    {"TBps", 1e12}};
  static const std::vector<Unit> flops = {{"f", 1},    {"kf", 1e3},  {"Mf", 1e6},
                                          {"Gf", 1e9}, {"Tf", 1e12}, {"Pf", 1e15}};
  static const std::vector<Unit> power = {{"mW", 1e-3}, {"W", 1}, {"kW", 1e3}, {"MW", 1e6}};
  switch (dimension) {
    case Dimension::time:
      return time;
    case Dimension::data:
      return data;
    case Dimension::rate:
      return rate;
    case Dimension::speed:
    case Dimension::work:
      return flops;
    case Dimension::power:
      return power;
    case Dimension::none:
      break;
  }
  return none;
}

/// The sizes in SI that a quantity may have beside 0, with room around whatever exists. Their
/// quotients and products stay far from where doubles overflow or lose their digits.
struct Sizes {
  double smallest;
  double largest;
};

Sizes sizes_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return {1e-15, 1e12};
    case Dimension::data:
    case Dimension::rate:
      return {1e-3, 1e18};
    case Dimension::speed:
    case Dimension::work:
      return {1e-3, 1e27};
    case Dimension::power:
      return {1e-9, 1e12};
    case Dimension::none:
      break;
  }
  return {0, HUGE_VAL};
}

void check_size(double si, Dimension dimension, const Json& value, const Place& place) {
  const double size = std::abs(si);
  if (size == 0 || is_sane(size, dimension)) return;
  throw InputError(place, "must be of a size " + sane_range(dimension), value);
}

/// The unit to suggest for a number given without one.
std::string likely_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "s";
    case Dimension::data:
      return "MB";
    case Dimension::rate:
      return "Gbps";
    case Dimension::speed:
      return "Tf";
    case Dimension::work:
      return "Gf";
    case Dimension::power:
      return "W";
    case Dimension::none:
      break;
  }
  return "";
}

std::string example(Dimension dimension, const std::string& number) {
  return "\"" + number + likely_unit(dimension) + "\"";
}

}  // namespace

std::string dimension_name(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "time";
    case Dimension::data:
      return "data size";
    case Dimension::rate:
      return "data rate";
    case Dimension::speed:
      return "speed in flops per second";
    case Dimension::work:
      return "number of flops";
    case Dimension::power:
      return "power";
    case Dimension::none:
      break;
  }
  return "number";
}

std::vector<std::string> units_of(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : table(dimension)) names.emplace_back(unit.name);
  return names;
}

std::string quantity_pattern(Dimension dimension, bool may_be_negative) {
  std::string units;
  for (const std::string& unit : units_of(dimension)) units += (units.empty() ? "" : "|") + unit;
  return std::string("^") + (may_be_negative ? "[+-]?" : "\\+?") +
         "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *(" + units + ")$";
}

bool is_sane(double si, Dimension dimension) {
  const auto [smallest, largest] = sizes_of(dimension);
  return si >= smallest && si <= largest;
}

std::string sane_range(Dimension dimension) {
  const auto [smallest, largest] = sizes_of(dimension);
  std::string unit;
  for (const Unit& candidate : table(dimension)) {
    if (candidate.si == 1) unit = candidate.name;
  }
  std::ostringstream text;
  text << "from " << smallest << unit << " to " << largest << unit;
  return text.str();
}

double parse_quantity(const Json& value, Dimension dimension, const Place& place) {
  const std::string must = "must be a " + dimension_name(dimension) + " with its unit, such as ";
  if (value.is_number()) {
    throw InputError(place, must + example(dimension, value.dump()) + " in quotes", value);
  }
  if (!value.is_string()) throw InputError(place, must + example(dimension, "10"), value);

  const std::string text = value.get<std::string>();
  // std::strtod would also take "inf", "nan" and "0x1p3", none of which is a quantity.
  const std::size_t number_end = text.find_first_not_of("+-.0123456789eE");
  const std::string number = text.substr(0, number_end);
  char* end = nullptr;
  const double magnitude = std::strtod(number.c_str(), &end);
  if (number.empty() || end != number.c_str() + number.size()) {
    throw InputError(place, must + example(dimension, "10"), value);
  }
  const std::size_t unit_begin = text.find_first_not_of(' ', number.size());
  if (unit_begin == std::string::npos) {
    throw InputError(place, must + example(dimension, number), value);
  }
  const std::string unit_name = text.substr(unit_begin);
  for (const Unit& unit : table(dimension)) {
    if (unit_name != unit.name) continue;
    const double si = magnitude * unit.si;
    check_size(si, dimension, value, place);
    return si;
  }
  const std::vector<std::string> names = units_of(dimension);
  throw InputError(place,
                   "unknown unit '" + unit_name + "' for a " + dimension_name(dimension) +
                       did_you_mean(unit_name, names) + ", use one of " + listed(names),
                   value);
}

}  // namespace motley
