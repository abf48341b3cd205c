#include "sim/results/statistics/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sim/base/json.hpp"
#include "sim/results/statistics/cut_short.hpp"
#include "sim/results/statistics/mean_to_target.hpp"
#include "sim/results/statistics/places.hpp"
#include "sim/results/statistics/resolution.hpp"

namespace motley {
namespace {

using Runs = std::vector<const RunResult*>;
using Figure = RunFigure;

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
  return at_time(run.curve, *run.time_to_target_s, [](const CurvePoint& p) { return p.bytes; });
}

Figure of_finished(std::optional<double> RunResult::*member) {
  return [member](const RunResult& run) {
    return run.status == RunStatus::failed ? std::nullopt : run.*member;
  };
}

/// In force at this time; an evaluation at the very moment counts, however both were rounded.
std::optional<double> accuracy_by(const RunResult& run, double time_s) {
  constexpr double rounding = 1e-9;
  if (run.status != RunStatus::ok) return std::nullopt;
  std::optional<double> accuracy;
  for (const CurvePoint& point : run.curve) {
    if (point.time_s > time_s * (1 + rounding)) break;
    if (point.kind == EvaluatedModel::oracle) continue;
    accuracy = point.test_accuracy;
  }
  return accuracy;
}

std::optional<double> utilisation(const RunResult& run) {
  const double total = run.virtual_s * static_cast<double>(run.worker_count());
  if (run.status == RunStatus::failed || !(total > 0)) return std::nullopt;
  return run.compute_s() / total;
}

/// Of all runs, of which those that never reached the target did so later than any other; empty
/// when that makes it infinite.
std::optional<double> median_with_never(std::vector<double> times, std::size_t runs) {
  times.resize(runs, std::numeric_limits<double>::infinity());
  const std::optional<double> median = median_of(times);
  return median && std::isfinite(*median) ? median : std::nullopt;
}

/// By replica; of the runs that did not fail.
std::map<std::uint64_t, TargetArrival> arrivals_of(const ComparisonRow& row, double longest_s) {
  std::map<std::uint64_t, TargetArrival> arrivals;
  for (const RunResult* run : row.runs) {
    if (run->status == RunStatus::failed) continue;
    const double end_s = run->status == RunStatus::diverged ? run->time_budget_s.value_or(longest_s)
                                                            : run->virtual_s;
    arrivals[run->replica] = {run->time_to_target_s.value_or(end_s),
                              run->time_to_target_s.has_value(), resolution_s(*run)};
  }
  return arrivals;
}

/// Each with each other of the rows of one point.
void compare_pairs(const std::vector<ComparisonRow*>& rows, double longest_s) {
  const std::size_t n = rows.size();
  std::vector<std::map<std::uint64_t, TargetArrival>> arrivals;
  for (const ComparisonRow* row : rows) arrivals.push_back(arrivals_of(*row, longest_s));
  const std::vector<PairedRatio> results = compare_all(arrivals);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j) rows[i]->against.push_back({rows[j]->algorithm, results[i * n + j]});
    }
  }
}

}  // namespace

const PairedRatio* ComparisonRow::result_against(const std::string& other) const {
  const auto found = std::ranges::find(against, other, &Against::algorithm);
  return found == against.end() ? nullptr : &found->result;
}

PairedRatio ComparisonRow::versus_baseline() const {
  if (const PairedRatio* result = result_against(baseline)) return *result;
  PairedRatio itself;
  itself.pairs = runs.size() - failed;
  if (algorithm == baseline && reached > 0) itself.ratio = Estimate{1, Interval{1, 1}};
  return itself;
}

std::vector<ComparisonRow> compare(const std::vector<RunResult>& results,
                                   const std::string& baseline) {
  std::vector<ComparisonRow> rows = group(results);
  const std::map<AtPoint, CutShort> cut = cut_short(results);
  std::map<std::string, double> longest;  // by point
  for (const RunResult& run : results) {
    double& most = longest[Json(run.point).dump()];
    most = std::max(most, run.virtual_s);
  }
  std::size_t replicas = 0;
  for (const ComparisonRow& row : rows) replicas = std::max(replicas, row.runs.size());
  std::map<std::string, std::vector<ComparisonRow*>> at_point;
  for (ComparisonRow& row : rows) {
    row.baseline = baseline;
    row.replicas = replicas;
    const auto its_cut = cut.find(at_point_of(*row.runs.front()));
    if (its_cut != cut.end()) row.cut_short_s = its_cut->second.ended_s;
    for (const RunResult* run : row.runs) {
      if (run->time_to_target_s) ++row.reached;
      if (run->status == RunStatus::failed) ++row.failed;
      if (run->status == RunStatus::diverged) ++row.diverged;
    }
    const std::vector<double> times =
        figures(row.runs, [](const RunResult& run) { return run.time_to_target_s; });
    row.time_to_target_s = mean_time_to_target(row.runs);
    row.resolution_s = mean_resolution_s(row.runs);
    row.time_to_target_median_s = median_with_never(times, row.runs.size());
    row.bytes_to_target = plain_mean(row.runs, bytes_to_target);
    row.energy_J = mean_of(figures(row.runs, of_finished(&RunResult::energy_J)), Range::positive);
    row.cost = mean_of(figures(row.runs, of_finished(&RunResult::cost)), Range::positive);
    row.energy_to_target_J = mean_to_target(row.runs, &RunResult::energy_to_target_J);
    row.cost_to_target = mean_to_target(row.runs, &RunResult::cost_to_target);
    row.final_accuracy = mean_of(figures(row.runs, &RunResult::final_test_accuracy), Range::share);
    row.best_accuracy = mean_of(figures(row.runs, &RunResult::best_test_accuracy), Range::share);
    row.final_loss = mean_of(figures(row.runs, &RunResult::final_test_loss), Range::positive);
    const std::string point = Json(row.point).dump();
    const double longest_s = longest[point];
    for (std::size_t i = 0; i < budget_parts.size(); ++i) {
      row.accuracy_at[i] = plain_mean(row.runs, [&](const RunResult& run) {
        return accuracy_by(run, budget_parts[i] * run.time_budget_s.value_or(longest_s));
      });
    }
    row.utilisation = plain_mean(row.runs, utilisation);
    at_point[point].push_back(&row);
  }
  for (const auto& [point, here] : at_point) {
    compare_pairs(here, longest[point]);
    set_places(here);
  }
  return rows;
}

}  // namespace motley
