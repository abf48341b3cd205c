#include "sim/cli/tables/sweep_points.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/base/place.hpp"

namespace motley {
namespace {

/// The axes that a short name may mean: those it is the end of, "ratio" of
/// /cluster/workers/0/spread/ratio; or else those it is part of, "band" of /cluster/link/bandwidth.
NamedAxes axes_called(const std::string& name, const NamedAxes& axes) {
  NamedAxes ending;
  NamedAxes containing;
  for (const auto& axis : axes) {
    if (axis.first == name || axis.first.ends_with("/" + name)) ending.push_back(axis);
    if (axis.first.find(name) != std::string::npos) containing.push_back(axis);
  }
  return ending.empty() && !name.empty() ? containing : ending;
}

/// The same text, or the same number: 8 and 8.0.
bool is_same_value(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) -> std::optional<double> {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' ? std::optional(value) : std::nullopt;
  };
  return a == b || (number(a) && number(b) && *number(a) == *number(b));
}

/// Whether each "name=value" of the words holds of the axes.
bool is_meant(const std::string& given, const NamedAxes& axes) {
  std::istringstream words(given);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const NamedAxes called = axes_called(word.substr(0, equals), axes);
    if (std::ranges::none_of(called,
                             [&](const auto& axis) { return is_same_value(axis.second, value); })) {
      return false;
    }
  }
  return true;
}

/// The words with the name of the axis before each that is a value alone: "8" becomes
/// "/cluster/workers/0/spread/ratio=8" where only one axis has that value.
std::string with_axes_named(const std::string& given, const std::vector<NamedAxes>& points,
                            const std::string& option) {
  std::istringstream words(given);
  std::string named;
  for (std::string word; words >> word;) {
    std::set<std::string> axes;
    for (const NamedAxes& point : points) {
      for (const auto& [axis, value] : point) {
        if (is_same_value(value, word)) axes.insert(axis);
      }
    }
    if (word.find('=') == std::string::npos && axes.size() > 1) {
      throw InputError(option + ": '" + word + "' is a value of " + listed(axes) +
                       ": say which, as in " + *axes.begin() + "=" + word);
    }
    const bool is_value = word.find('=') == std::string::npos && axes.size() == 1;
    named += (named.empty() ? "" : " ") + (is_value ? *axes.begin() + "=" : "") + word;
  }
  return named;
}

/// A sweep may have thousands.
std::string some_of(const std::set<std::string>& points) {
  constexpr std::size_t shown = 10;
  std::vector<std::string> first;
  for (const std::string& point : points) {
    if (first.size() < shown) first.push_back(point);
  }
  if (points.size() <= shown) return listed(first);
  return listed(first) + " and " + std::to_string(points.size() - shown) + " more, see summary.csv";
}

std::set<std::string> all_in_words(const std::vector<NamedAxes>& points) {
  std::set<std::string> words;
  for (const NamedAxes& point : points) words.insert(in_words(point));
  return words;
}

}  // namespace

std::string in_words(const NamedAxes& point) {
  std::string words;
  for (const auto& [name, value] : point) words += (words.empty() ? "" : " ") + name + "=" + value;
  return words;
}

std::string some_points(const std::vector<NamedAxes>& points) {
  return some_of(all_in_words(points));
}

std::string point_among(const std::vector<NamedAxes>& points, const std::string& given,
                        const std::string& option) {
  if (points.empty()) return "";
  if (points.front().empty()) {
    if (given.empty()) return "";
    throw InputError(option + ": no such point '" + given + "': nothing is swept in this scenario");
  }
  const std::string wanted = with_axes_named(given, points, option);
  std::set<std::string> meant;
  for (const NamedAxes& point : points) {
    if (in_words(point) == given) return given;
    if (is_meant(wanted, point)) meant.insert(in_words(point));
  }
  if (meant.size() == 1) return *meant.begin();
  if (meant.empty()) {
    throw InputError(option + ": no such point '" + given + "'; there are: " + some_points(points));
  }
  throw InputError(option + ": '" + given + "' may be any of: " + some_of(meant));
}

}  // namespace motley
