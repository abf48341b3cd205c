#include "sim/cli/tables/explained_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/base/place.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/run_status.hpp"
#include "sim/results/statistics/comparison.hpp"

namespace motley {
namespace {

/// Names and values of the axes in a row, in the order of the columns.
NamedAxes axes_of(const CsvTable& table, std::size_t row) {
  NamedAxes axes;
  for (const std::string& column : table.columns()) {
    if (column.starts_with("/")) axes.emplace_back(column, table.text(row, column));
  }
  return axes;
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

std::string point_of_row(const CsvTable& table, std::size_t row) {
  return in_words(axes_of(table, row));
}

std::string point_meant(const std::filesystem::path& folder, const std::string& given,
                        const std::string& option) {
  const CsvTable runs(folder / "runs.csv");
  std::vector<NamedAxes> points;
  for (std::size_t i = 0; i < runs.rows(); ++i) points.push_back(axes_of(runs, i));
  if (given.empty() && !points.empty() &&
      point_of_row(runs, 0) != point_of_row(runs, runs.rows() - 1)) {
    throw InputError(folder.string() + ": is a sweep; choose a point with " + option +
                     ", one of: " + some_points(points));
  }
  return point_among(points, given, option);
}

std::vector<RunToTarget> runs_to_target(const std::filesystem::path& folder,
                                        const std::string& algorithm, const std::string& point) {
  const CsvTable runs(folder / "runs.csv");
  const CsvTable curves(folder / "curves.csv");
  std::set<std::string> algorithms;
  std::vector<RunToTarget> found;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    algorithms.insert(runs.text(i, "algorithm"));
    if (runs.text(i, "algorithm") != algorithm ||
        run_status_of(runs.text(i, "status")) == RunStatus::failed)
      continue;
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
    return StoredVerdict{
        algorithm,
        against,
        static_cast<std::size_t>(table.number(i, "pairs").value_or(0)),
        *table.number(i, "ratio"),
        *bound,
        *verdict,
        table.number(i, "ratio_low"),
        table.number(i, "ratio_high"),
        table.number(i, "p_holm"),
        table.has("within_resolution") && table.number(i, "within_resolution").value_or(0) == 1};
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
    if (v.is_within_resolution) text << "; the times differ by less than their resolution";
  } else {
    text << ": more replicas would tell";
  }
  text << ".\n";
  return text.str();
}

}  // namespace motley
