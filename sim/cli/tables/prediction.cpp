#include "sim/cli/tables/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sim/base/place.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/run_status.hpp"

namespace motley {
namespace {

/// By run, how long an update took up to the last one that was evaluated when it was made. A run's last row is of its
/// end, when the last update may be long past.
std::map<std::string, double> update_times(const std::filesystem::path& folder,
                                           const std::map<std::string, double>& ends) {
  const CsvTable curves(folder / "curves.csv");
  std::map<std::string, std::pair<double, double>> last;  // updates and when
  for (std::size_t i = 0; i < curves.rows(); ++i) {
    const std::string& run = curves.text(i, "run");
    const double updates = curves.number(i, "updates").value_or(0);
    const double time_s = curves.number(i, "time_s").value_or(0);
    const auto end = ends.find(run);
    if (end == ends.end() || time_s >= end->second) continue;
    if (updates > last[run].first) last[run] = {updates, time_s};
  }
  std::map<std::string, double> times;
  for (const auto& [run, point] : last) {
    if (point.first > 0) times[run] = point.second / point.first;
  }
  return times;
}

/// By algorithm, in the order of the rows.
std::vector<std::pair<std::string, RunFigures>> figures_of(const std::filesystem::path& folder) {
  const CsvTable runs(folder / "runs.csv");
  const CsvTable staleness(folder / "staleness.csv");
  std::map<std::string, std::map<std::uint64_t, double>> stale;  // by run
  for (std::size_t i = 0; i < staleness.rows(); ++i) {
    const auto value = static_cast<std::uint64_t>(staleness.number(i, "staleness").value_or(0));
    stale[staleness.text(i, "run")][value] += staleness.number(i, "count").value_or(0);
  }
  std::map<std::string, double> ends;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    ends[runs.text(i, "run")] = runs.number(i, "virtual_s").value_or(0);
  }
  const std::map<std::string, double> times = update_times(folder, ends);
  std::vector<std::pair<std::string, RunFigures>> figures;
  std::map<std::string, double> replicas;
  std::set<std::string> without_target;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    const auto number = [&](const char* column) { return runs.number(i, column).value_or(0); };
    if (run_status_of(runs.text(i, "status")) == RunStatus::failed || number("updates") == 0)
      continue;
    const std::string& label = runs.text(i, "algorithm");
    if (replicas[label]++ == 0) figures.emplace_back(label, RunFigures());
    RunFigures& of =
        std::ranges::find(figures, label, &std::pair<std::string, RunFigures>::first)->second;
    const auto time = times.find(runs.text(i, "run"));
    of.update_s += time != times.end() ? time->second : number("virtual_s") / number("updates");
    of.staleness += number("mean_staleness");
    const double all_s =
        number("compute_s") + number("transfer_s") + number("wait_s") + number("discarded_s");
    of.wait_share += all_s > 0 ? number("wait_s") / all_s : 0;
    of.bytes_per_update += number("bytes") / number("updates");
    const std::optional<double> target = runs.number(i, "time_to_target_s");
    if (target)
      of.target_s = of.target_s.value_or(0) + *target;
    else
      without_target.insert(label);
    double gradients = 0;
    for (const auto& [value, count] : stale[runs.text(i, "run")]) gradients += count;
    for (const auto& [value, count] : stale[runs.text(i, "run")]) {
      of.stale_shares[value] += count / gradients;
    }
  }
  for (auto& [label, of] : figures) {
    const double count = replicas[label];
    of.update_s /= count;
    of.staleness /= count;
    of.wait_share /= count;
    of.bytes_per_update /= count;
    if (of.target_s) *of.target_s /= count;
    if (without_target.contains(label)) of.target_s.reset();
    for (auto& [value, share] : of.stale_shares) share /= count;
  }
  return figures;
}

/// Ties share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

std::optional<double> correlation_of(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

bool are_apart(double a, double b) {
  return std::abs(a - b) > Ordering::too_close * std::min(a, b);
}

}  // namespace

std::vector<Prediction> predictions(const std::filesystem::path& simulated,
                                    const std::filesystem::path& live) {
  const auto predicted = figures_of(simulated);
  const auto measured = figures_of(live);
  std::vector<Prediction> both;
  for (const auto& [label, of] : measured) {
    for (const auto& [other, predicted_of] : predicted) {
      if (label == other) both.push_back({label, predicted_of, of});
    }
  }
  if (both.empty()) {
    throw InputError("compare: " + simulated.string() + " and " + live.string() +
                     " have no algorithm in common that has made an update in both; runs that "
                     "failed do not count");
  }
  return both;
}

Ordering ordering_of(const std::vector<Prediction>& predictions) {
  const bool by_target = std::ranges::all_of(
      predictions, [](const Prediction& p) { return p.predicted.target_s && p.measured.target_s; });
  Ordering ordering;
  ordering.by = by_target ? "time to target" : "time per update";
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Prediction& p : predictions) {
    predicted.push_back(by_target ? *p.predicted.target_s : p.predicted.update_s);
    measured.push_back(by_target ? *p.measured.target_s : p.measured.update_s);
  }
  ordering.correlation = correlation_of(ranks_of(predicted), ranks_of(measured));
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    for (std::size_t j = i + 1; j < predictions.size(); ++j) {
      const bool is_inverted = (predicted[i] < predicted[j]) != (measured[i] < measured[j]);
      if (is_inverted && are_apart(predicted[i], predicted[j]) &&
          are_apart(measured[i], measured[j])) {
        ordering.inverted.push_back(predictions[i].algorithm + " and " + predictions[j].algorithm);
      }
    }
  }
  return ordering;
}

std::string to_csv(const std::vector<Prediction>& predictions) {
  std::string text = compare_table().header();
  for (const Prediction& prediction : predictions) text += compare_table().line(prediction);
  return text;
}

}  // namespace motley
