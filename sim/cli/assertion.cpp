#include "sim/cli/assertion.hpp"

#include <array>
#include <charconv>
#include <map>

#include "sim/base/format.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/tables/explained_runs.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/statistics/summary_file.hpp"
#include "sim/results/tables/run_tables.hpp"

namespace motley {
namespace {

constexpr const char* example = "such as 'async.time_to_target_s < 40' or 'async.status == ok'";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw InputError("--fail-unless '" + text + "': " + why);
}

bool has_column(const TableInfo& table, const std::string& name) {
  for (const ColumnInfo& column : table.columns) {
    if (column.name == name) return true;
  }
  return false;
}

bool is_of_summary(const std::string& column) {
  return has_column(summary_table().info(), column);
}

std::vector<std::string> all_columns() {
  std::vector<std::string> names;
  for (const TableInfo& table : {summary_table().info(), runs_table().info()}) {
    for (const ColumnInfo& column : table.columns) names.push_back(column.name);
  }
  return names;
}

AssertedValue parse_value(const std::string& whole, std::string text,
                          const std::set<std::string>& algorithms) {
  AssertedValue value;
  if (const std::optional<double> number = number_of(text)) {
    value.number = *number;
    return value;
  }
  if (const std::size_t times = text.find('*'); times != std::string::npos) {
    const std::optional<double> factor = number_of(trimmed(text.substr(0, times)));
    if (!factor) refuse(whole, "before * must be a number, " + std::string(example));
    value.factor = *factor;
    text = trimmed(text.substr(times + 1));
  }
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos) {
    if (text.empty()) refuse(whole, "nothing stands beside the sign, " + std::string(example));
    value.word = text;
    return value;
  }
  value.algorithm = text.substr(0, dot);
  value.column = text.substr(dot + 1);
  if (!algorithms.contains(value.algorithm)) {
    refuse(whole, "no algorithm '" + value.algorithm + "'" +
                      did_you_mean(value.algorithm, {algorithms.begin(), algorithms.end()}) +
                      "; there are: " + listed(algorithms));
  }
  if (!is_of_summary(value.column) && !has_column(runs_table().info(), value.column)) {
    refuse(whole, "no column '" + value.column + "' in summary.csv or runs.csv" +
                      did_you_mean(value.column, all_columns()) + "; see 'motley columns'");
  }
  return value;
}

/// The cells of a column, by point and replica; summary.csv has no replicas.
using Case = std::pair<std::string, std::string>;
std::map<Case, std::string> cells_of(const AssertedValue& value, const std::string& at,
                                     const std::filesystem::path& results) {
  const bool summary = is_of_summary(value.column);
  const CsvTable table(results / (summary ? "summary.csv" : "runs.csv"));
  const std::string wanted = at.empty() ? "" : point_meant(results, at, "--fail-unless");
  std::map<Case, std::string> cells;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.text(i, "algorithm") != value.algorithm) continue;
    const std::string point = point_of_row(table, i);
    if (!at.empty() && point != wanted) continue;
    cells[{point, summary ? "" : table.text(i, "replica")}] = table.text(i, value.column);
  }
  return cells;
}

/// The value in this case: a column's may be of all replicas.
std::string text_in(const AssertedValue& value, const std::map<Case, std::string>& cells,
                    const Case& here) {
  if (value.word) return *value.word;
  if (!value.is_column()) return Json(value.number).dump();
  auto found = cells.find(here);
  if (found == cells.end()) found = cells.find({here.first, ""});
  if (found == cells.end() || found->second.empty()) return "";
  const std::optional<double> number = number_of(found->second);
  return number && value.factor != 1 ? Json(value.factor * *number).dump() : found->second;
}

bool holds(const std::string& left, const std::string& sign, const std::string& right) {
  if (left.empty() || right.empty()) return false;
  const std::optional<double> a = number_of(left);
  const std::optional<double> b = number_of(right);
  if (sign == "==") return a && b ? *a == *b : left == right;
  if (sign == "!=") return a && b ? *a != *b : left != right;
  if (!a || !b) return false;
  if (sign == "<") return *a < *b;
  if (sign == "<=") return *a <= *b;
  if (sign == ">") return *a > *b;
  return *a >= *b;
}

std::string shown(const std::string& value) {
  return value.empty() ? "nothing (not reached, or not there)" : value;
}

}  // namespace

Assertion parse_assertion(const std::string& text, const std::set<std::string>& algorithms,
                          const std::vector<NamedAxes>& points) {
  Assertion result;
  result.text = text;
  std::string comparison = text;
  if (const std::size_t at = text.find(" at "); at != std::string::npos) {
    comparison = text.substr(0, at);
    result.at = trimmed(text.substr(at + 4));
    if (result.at.empty()) refuse(text, "no point stands after 'at'");
    point_among(points, result.at, "--fail-unless '" + text + "'");
  }
  std::size_t place = std::string::npos;
  constexpr std::array<const char*, 6> signs = {"<=", ">=", "==", "!=", "<", ">"};
  for (const char* sign : signs) {
    place = comparison.find(sign);
    if (place == std::string::npos) continue;
    result.sign = sign;
    break;
  }
  if (place == std::string::npos) {
    refuse(text, "needs one of <, <=, >, >=, ==, !=, " + std::string(example));
  }
  result.left = parse_value(text, trimmed(comparison.substr(0, place)), algorithms);
  result.right =
      parse_value(text, trimmed(comparison.substr(place + result.sign.size())), algorithms);
  const bool compares_sizes = result.sign[0] == '<' || result.sign[0] == '>';
  for (const AssertedValue& value : {result.left, result.right}) {
    if (compares_sizes && value.word) {
      refuse(text, "beside " + result.sign + " must be a number, without a unit, got '" +
                       *value.word + "'");
    }
  }
  if (!result.left.is_column() && !result.right.is_column()) {
    refuse(text, "names no column of an algorithm, " + std::string(example));
  }
  return result;
}

Asserted check_assertion(const Assertion& assertion, const std::filesystem::path& results) {
  std::map<Case, std::string> left;
  std::map<Case, std::string> right;
  if (assertion.left.is_column()) left = cells_of(assertion.left, assertion.at, results);
  if (assertion.right.is_column()) right = cells_of(assertion.right, assertion.at, results);
  // The side that is known of every replica says which cases there are.
  const bool by_left = assertion.left.is_column() &&
                       (!assertion.right.is_column() || !is_of_summary(assertion.left.column) ||
                        is_of_summary(assertion.right.column));
  const std::map<Case, std::string>& cases = by_left ? left : right;
  if (cases.empty()) {
    throw InputError(results.string() + ": has no row for --fail-unless '" + assertion.text + "'");
  }
  Asserted outcome;
  bool is_first = true;
  for (const auto& [here, ignored] : cases) {
    const std::string a = text_in(assertion.left, left, here);
    const std::string b = text_in(assertion.right, right, here);
    const bool ok = holds(a, assertion.sign, b);
    if (is_first || !ok) {
      outcome = {ok, a, b, ""};
      if (cases.size() > 1 && !here.second.empty()) outcome.where = "replica " + here.second;
      if (!here.first.empty()) {
        outcome.where += (outcome.where.empty() ? "at " : " at ") + here.first;
      }
    }
    if (!ok) return outcome;
    is_first = false;
  }
  return outcome;
}

std::string to_text(const Assertion& assertion, const Asserted& outcome) {
  std::string text = (outcome.holds ? "holds: " : "does not hold: ") + assertion.text;
  if (assertion.left.is_column()) text += ": the left side is " + shown(outcome.left);
  if (assertion.right.is_column()) {
    text += (assertion.left.is_column() ? ", the right side " : ": the right side is ") +
            shown(outcome.right);
  }
  return text + (outcome.where.empty() ? "" : " (" + outcome.where + ")");
}

Json to_json(const Assertion& assertion, const Asserted& outcome) {
  const auto value = [](const std::string& text) {
    const std::optional<double> number = number_of(text);
    return text.empty() ? Json() : number ? Json(*number) : Json(text);
  };
  return {{"assertion", assertion.text},
          {"holds", outcome.holds},
          {"left", value(outcome.left)},
          {"right", value(outcome.right)},
          {"where", outcome.where}};
}

}  // namespace motley
