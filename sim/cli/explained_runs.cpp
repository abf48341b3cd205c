#include "sim/cli/explained_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/base/place.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/statistics/comparison.hpp"

namespace motley {
namespace {

using NamedAxes = std::vector<std::pair<std::string, std::string>>;

/// Names and values of the axes in a row, in the order of the columns.
NamedAxes axes_of(const CsvTable& table, std::size_t row) {
  NamedAxes axes;
  for (const std::string& column : table.columns()) {
    if (column.starts_with("/")) axes.emplace_back(column, table.text(row, column));
  }
  return axes;
}

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
std::string with_axes_named(const std::string& given, const CsvTable& runs) {
  std::istringstream words(given);
  std::string named;
  for (std::string word; words >> word;) {
    std::set<std::string> axes;
    for (std::size_t i = 0; i < runs.rows(); ++i) {
      for (const auto& [axis, value] : axes_of(runs, i)) {
        if (is_same_value(value, word)) axes.insert(axis);
      }
    }
    if (word.find('=') == std::string::npos && axes.size() > 1) {
      throw InputError("--at: '" + word + "' is a value of " + listed(axes) +
                       ": say which, as in " + *axes.begin() + "=" + word);
    }
    const bool is_value = word.find('=') == std::string::npos && axes.size() == 1;
    named += (named.empty() ? "" : " ") + (is_value ? *axes.begin() + "=" : "") + word;
  }
  return named;
}

/// As far as it is asked for here.
std::vector<CurvePoint> curve_of(const CsvTable& curves, const std::string& run) {
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < curves.rows(); ++i) {
    if (curves.text(i, "run") != run) continue;
    curve.emplace_back();
    curve.back().time_s = curves.number(i, "time_s").value_or(0);
    curve.back().updates = static_cast<std::uint64_t>(curves.number(i, "updates").value_or(0));
    curve.back().samples = static_cast<std::uint64_t>(curves.number(i, "samples").value_or(0));
  }
  return curve;
}

}  // namespace

namespace {

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

}  // namespace

std::string point_of_row(const CsvTable& table, std::size_t row) {
  std::string point;
  for (const auto& [name, value] : axes_of(table, row)) {
    point += (point.empty() ? "" : " ") + name + "=" + value;
  }
  return point;
}

std::string point_meant(const std::filesystem::path& folder, const std::string& given) {
  const CsvTable runs(folder / "runs.csv");
  std::set<std::string> points;
  std::set<std::string> meant;
  const std::string wanted = with_axes_named(given, runs);
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    const std::string point = point_of_row(runs, i);
    points.insert(point);
    if (point == given) return given;
    if (is_meant(wanted, axes_of(runs, i))) meant.insert(point);
  }
  if (meant.size() == 1) return *meant.begin();
  if (given.empty() && points.size() > 1) {
    throw InputError(folder.string() +
                     ": is a sweep; choose a point with --at, one of: " + some_of(points));
  }
  if (meant.empty() && !points.empty()) {
    throw InputError("--at: no such point '" + given + "'; there are: " + some_of(points));
  }
  if (points.empty()) return "";
  throw InputError("--at: '" + given + "' may be any of: " + some_of(meant));
}

std::vector<RunToTarget> runs_to_target(const std::filesystem::path& folder,
                                        const std::string& algorithm, const std::string& point) {
  const CsvTable runs(folder / "runs.csv");
  const CsvTable curves(folder / "curves.csv");
  std::set<std::string> algorithms;
  std::vector<RunToTarget> found;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    algorithms.insert(runs.text(i, "algorithm"));
    if (runs.text(i, "algorithm") != algorithm || runs.text(i, "status") == "failed") continue;
    RunToTarget run;
    run.point = point_of_row(runs, i);
    if (run.point != point) continue;
    run.replica = static_cast<std::uint64_t>(runs.number(i, "replica").value_or(0));
    run.time_s = runs.number(i, "time_to_target_s");
    run.mean_staleness = runs.number(i, "mean_staleness").value_or(0);
    run.best_accuracy = runs.number(i, "best_test_accuracy");
    double total = 0;
    const std::array<const char*, 5> columns = {"compute_s", "transfer_s", "wait_s", "discarded_s",
                                                "down_s"};
    for (std::size_t part = 0; part < columns.size(); ++part) {
      if (!runs.has(columns[part])) continue;  // down_s only where something can fail
      run.shares[part] = runs.number(i, columns[part]).value_or(0);
      total += run.shares[part];
    }
    for (double& share : run.shares) share = total > 0 ? share / total : 0;
    if (run.time_s) {
      const std::vector<CurvePoint> curve = curve_of(curves, runs.text(i, "run"));
      run.updates = at_time(curve, *run.time_s,
                            [](const CurvePoint& p) { return static_cast<double>(p.updates); });
      run.samples = at_time(curve, *run.time_s,
                            [](const CurvePoint& p) { return static_cast<double>(p.samples); });
    }
    found.push_back(run);
  }
  if (algorithms.empty()) {
    throw InputError((folder / "runs.csv").string() + ": has no runs");
  }
  if (!algorithms.contains(algorithm)) {
    throw InputError(folder.string() + ": no run of '" + algorithm + "'" +
                     did_you_mean(algorithm, {algorithms.begin(), algorithms.end()}) +
                     "; there are " + listed(algorithms));
  }
  return found;
}

std::optional<double> stored_place(const std::filesystem::path& folder,
                                   const std::string& algorithm, const std::string& point) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "summary.csv", ignored)) return std::nullopt;
  const CsvTable table(folder / "summary.csv");
  for (std::size_t i = 0; table.has("place") && i < table.rows(); ++i) {
    if (table.text(i, "algorithm") == algorithm && point_of_row(table, i) == point) {
      return table.number(i, "place");
    }
  }
  return std::nullopt;
}

std::optional<StoredVerdict> stored_verdict(const std::filesystem::path& folder,
                                            const std::string& algorithm,
                                            const std::string& against, const std::string& point) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "comparisons.csv", ignored)) return std::nullopt;
  const CsvTable table(folder / "comparisons.csv");
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.text(i, "algorithm") != algorithm || table.text(i, "against") != against ||
        point_of_row(table, i) != point || !table.number(i, "ratio")) {
      continue;
    }
    const std::optional<Bound> bound = bound_of(table.text(i, "bound"));
    const std::optional<Verdict> verdict = verdict_of(table.text(i, "verdict"));
    if (!bound || !verdict) {
      throw InputError((folder / "comparisons.csv").string() + ": no verdict of " + algorithm +
                       " against " + against + ": must be faster, slower or undecided, got '" +
                       table.text(i, "verdict") + "' with the bound '" + table.text(i, "bound") +
                       "'");
    }
    return StoredVerdict{algorithm,
                         against,
                         static_cast<std::size_t>(table.number(i, "pairs").value_or(0)),
                         *table.number(i, "ratio"),
                         *bound,
                         *verdict,
                         table.number(i, "ratio_low"),
                         table.number(i, "ratio_high"),
                         table.number(i, "p_holm")};
  }
  return std::nullopt;
}

std::string to_text(const StoredVerdict& v) {
  std::ostringstream text;
  if (v.verdict == Verdict::undecided)
    text << "Undecided whether " << v.algorithm << " is faster than " << v.against << ": ";
  else
    text << v.algorithm << " is " << to_text(v.verdict) << " than " << v.against << ": ";
  text << (v.bound == Bound::at_least  ? "at least "
           : v.bound == Bound::at_most ? "at most "
                                       : "")
       << significant(v.bound == Bound::at_least  ? v.low.value_or(v.ratio)
                      : v.bound == Bound::at_most ? v.high.value_or(v.ratio)
                                                  : v.ratio)
       << " times as fast";
  if (v.low && v.high && v.bound == Bound::none) {
    text << " [" << significant(*v.low) << ", " << significant(*v.high) << "]";
  }
  text << " over " << counted(v.pairs, "pair") << " of runs";
  if (v.bound != Bound::none) text << ", cut where one ended before it reached the target";
  if (v.p_holm) {
    constexpr double least = 1e-12;  // a t statistic so large says nothing of how much smaller
    text << (*v.p_holm < least ? ", p < 1e-12" : ", p = " + significant(*v.p_holm, 2))
         << " after Holm's correction over all pairs of algorithms";
    constexpr double level = 0.05;
    if (v.verdict == Verdict::undecided && *v.p_holm < level) {
      text << ", but the times differ by less than their resolution";
    }
  } else {
    text << ": more replicas would tell";
  }
  text << ".\n";
  return text.str();
}

}  // namespace motley
