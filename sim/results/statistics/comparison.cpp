#include "sim/results/statistics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "sim/base/json.hpp"

namespace motley {
namespace {

using Runs = std::vector<const RunResult*>;
using Figure = std::function<std::optional<double>(const RunResult&)>;

/// The figures of the runs that have one.
std::vector<double> figures(const Runs& runs, const Figure& figure) {
  std::vector<double> values;
  for (const RunResult* run : runs) {
    if (const std::optional<double> value = figure(*run)) values.push_back(*value);
  }
  return values;
}

std::optional<double> plain_mean(const Runs& runs, const Figure& figure) {
  const std::optional<Estimate> estimate = mean_of(figures(runs, figure));
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::vector<ComparisonRow> group(const std::vector<RunResult>& results) {
  std::vector<ComparisonRow> rows;
  std::map<std::string, std::size_t> row_of;
  for (const RunResult& run : results) {
    const std::string key = run.algorithm + Json(run.point).dump();
    const auto [found, is_new] = row_of.try_emplace(key, rows.size());
    if (is_new) {
      rows.emplace_back();
      rows.back().algorithm = run.algorithm;
      rows.back().point = run.point;
    }
    rows[found->second].runs.push_back(&run);
  }
  return rows;
}

std::optional<double> bytes_to_target(const RunResult& run) {
  if (!run.time_to_target_s) return std::nullopt;
  for (const CurvePoint& point : run.curve) {
    if (point.time_s >= *run.time_to_target_s) return point.bytes;
  }
  return std::nullopt;
}

/// In force at this time; an evaluation at the very moment counts, however both were rounded.
std::optional<double> accuracy_by(const RunResult& run, double time_s) {
  constexpr double rounding = 1e-9;
  if (run.status != "ok") return std::nullopt;
  std::optional<double> accuracy;
  for (const CurvePoint& point : run.curve) {
    if (point.time_s > time_s * (1 + rounding)) break;
    accuracy = point.test_accuracy;
  }
  return accuracy;
}

std::optional<double> utilisation(const RunResult& run) {
  const double total = run.virtual_s * static_cast<double>(run.workers.size());
  if (run.status == "failed" || !(total > 0)) return std::nullopt;
  return run.compute_s() / total;
}

/// Of all runs, of which those that never reached the target did so later than any other; empty
/// when that makes it infinite.
std::optional<double> median_with_never(std::vector<double> times, std::size_t runs) {
  times.resize(runs, std::numeric_limits<double>::infinity());
  const std::optional<double> median = median_of(times);
  return median && std::isfinite(*median) ? median : std::nullopt;
}

/// Times to target by replica. A target reached at the very start has no ratio to anything.
std::map<std::uint64_t, double> times_by_replica(const ComparisonRow& row) {
  std::map<std::uint64_t, double> times;
  for (const RunResult* run : row.runs) {
    if (run->time_to_target_s.value_or(0) > 0) times[run->replica] = *run->time_to_target_s;
  }
  return times;
}

void compare_with_baseline(ComparisonRow& row, const std::map<std::uint64_t, double>& baseline) {
  std::vector<double> its_times;
  std::vector<double> times;
  for (const auto& [replica, time] : times_by_replica(row)) {
    const auto partner = baseline.find(replica);
    if (partner == baseline.end()) continue;
    its_times.push_back(partner->second);
    times.push_back(time);
  }
  row.speedup_pairs = times.size();
  row.speedup = speedup_of(its_times, times);
}

}  // namespace

std::vector<ComparisonRow> compare(const std::vector<RunResult>& results,
                                   const std::string& baseline) {
  std::vector<ComparisonRow> rows = group(results);
  std::map<std::string, double> longest;                             // by point
  std::map<std::string, std::map<std::uint64_t, double>> its_times;  // the baseline's
  for (const ComparisonRow& row : rows) {
    if (row.algorithm == baseline) its_times[Json(row.point).dump()] = times_by_replica(row);
  }
  for (const RunResult& run : results) {
    double& most = longest[Json(run.point).dump()];
    most = std::max(most, run.virtual_s);
  }
  for (ComparisonRow& row : rows) {
    for (const RunResult* run : row.runs) {
      if (run->time_to_target_s) ++row.reached;
      if (run->status == "failed") ++row.failed;
      if (run->status == "diverged") ++row.diverged;
    }
    const std::vector<double> times =
        figures(row.runs, [](const RunResult& run) { return run.time_to_target_s; });
    row.time_to_target_s = mean_of(times);
    row.time_to_target_median_s = median_with_never(times, row.runs.size());
    row.bytes_to_target = plain_mean(row.runs, bytes_to_target);
    row.final_accuracy =
        mean_of(figures(row.runs, [](const RunResult& run) { return run.final_test_accuracy; }));
    row.best_accuracy =
        mean_of(figures(row.runs, [](const RunResult& run) { return run.best_test_accuracy; }));
    const std::string point = Json(row.point).dump();
    const double longest_s = longest[point];
    for (std::size_t i = 0; i < budget_parts.size(); ++i) {
      row.accuracy_at[i] = plain_mean(row.runs, [&](const RunResult& run) {
        return accuracy_by(run, budget_parts[i] * run.time_budget_s.value_or(longest_s));
      });
    }
    row.utilisation = plain_mean(row.runs, utilisation);
    compare_with_baseline(row, its_times[point]);
  }
  return rows;
}

}  // namespace motley
