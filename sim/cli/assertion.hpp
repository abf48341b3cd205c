#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/cli/tables/sweep_points.hpp"

/// What --fail-unless asks of results: "async.time_to_target_s < 40".
namespace motley {

/// One side of a comparison: a number, a word, or a column of an algorithm, perhaps times a number.
struct AssertedValue {
  std::string algorithm;  ///< empty: the number or the word itself
  std::string column;
  double factor = 1;
  double number = 0;
  std::optional<std::string> word;

  bool is_column() const { return !algorithm.empty(); }
};

/// LEFT < RIGHT, perhaps only at some points of a sweep. A column of summary.csv is compared once per point; one
/// of runs.csv in every run, with the other side in the same replica.
struct Assertion {
  std::string text;  ///< as it was written
  AssertedValue left;
  std::string sign;  ///< <, <=, >, >=, ==, !=
  AssertedValue right;
  std::string at;  ///< the point, as --at of explain takes it; empty: at all of them
};

/// InputError unless it is a comparison of columns there are, of these algorithms, at one of these points.
Assertion parse_assertion(const std::string& text, const std::set<std::string>& algorithms,
                          const std::vector<NamedAxes>& points);

/// What became of it.
struct Asserted {
  bool holds = false;
  /// The value of the first case in which it does not hold, or else of the first case.
  std::string left;
  std::string right;
  std::string where;  ///< which case that is: "replica 2 at ratio=8"; empty when there is but one
};

/// InputError when the folder has no such rows. A value that is not there, such as the time to a target
/// that was not reached, makes it fail.
Asserted check_assertion(const Assertion& assertion, const std::filesystem::path& results);

/// "failed: async.time_to_target_s < 40: it is 43.2".
std::string to_text(const Assertion& assertion, const Asserted& outcome);
Json to_json(const Assertion& assertion, const Asserted& outcome);

}  // namespace motley
