#include "sim/cli/tables/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/place.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/run_status.hpp"
#include "sim/results/statistics/estimate.hpp"

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

/// Of one run.
struct RunTimes {
  double update_s = 0;
  std::optional<double> target_s;
};

/// Of one algorithm in one folder.
struct Side {
  RunFigures figures;
  std::map<std::string, RunTimes> times;  // by replica
};

/// By algorithm, in the order of the rows.
std::vector<std::pair<std::string, Side>> sides_of(const std::filesystem::path& folder) {
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
  std::vector<std::pair<std::string, Side>> sides;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    const auto number = [&](const char* column) { return runs.number(i, column).value_or(0); };
    if (run_status_of(runs.text(i, "status")) == RunStatus::failed || number("updates") == 0)
      continue;
    const std::string& label = runs.text(i, "algorithm");
    auto found = std::ranges::find(sides, label, &std::pair<std::string, Side>::first);
    if (found == sides.end()) found = sides.insert(found, {label, Side()});
    RunFigures& of = found->second.figures;
    ++of.runs;
    const auto time = times.find(runs.text(i, "run"));
    const double update_s =
        time != times.end() ? time->second : number("virtual_s") / number("updates");
    found->second.times[runs.text(i, "replica")] = {update_s, runs.number(i, "time_to_target_s")};
    of.update_s += update_s;
    of.staleness += number("mean_staleness");
    const double all_s =
        number("compute_s") + number("transfer_s") + number("wait_s") + number("discarded_s");
    of.wait_share += all_s > 0 ? number("wait_s") / all_s : 0;
    of.bytes_per_update += number("bytes") / number("updates");
    double gradients = 0;
    for (const auto& [value, count] : stale[runs.text(i, "run")]) gradients += count;
    for (const auto& [value, count] : stale[runs.text(i, "run")]) {
      of.stale_shares[value] += count / gradients;
    }
  }
  for (auto& [label, side] : sides) {
    RunFigures& of = side.figures;
    const auto count = static_cast<double>(of.runs);
    of.update_s /= count;
    of.staleness /= count;
    of.wait_share /= count;
    of.bytes_per_update /= count;
    for (auto& [value, share] : of.stale_shares) share /= count;
  }
  return sides;
}

/// Mean times to the target of the replicas that both sides have, if all of these reached it on both.
void compare_targets(const Side& simulated, const Side& live, Prediction& prediction) {
  double predicted_s = 0;
  double measured_s = 0;
  double count = 0;
  for (const auto& [replica, measured] : live.times) {
    const auto predicted = simulated.times.find(replica);
    if (predicted == simulated.times.end()) continue;
    if (!measured.target_s || !predicted->second.target_s) return;
    predicted_s += *predicted->second.target_s;
    measured_s += *measured.target_s;
    ++count;
  }
  if (count == 0) return;
  prediction.predicted.target_s = predicted_s / count;
  prediction.measured.target_s = measured_s / count;
}

/// Of the mean of these values: its variance, and with how many degrees of freedom that is known.
struct Scatter {
  double variance = 0;
  double freedom = 0;
};

Scatter scatter_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (n < 2) return {};
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {squares / (n - 1) / n, n - 1};
}

/// Of the difference of two means that have nothing to do with each other [Welch, Biometrika 1947]. One value alone
/// is taken to vary as those of the other side do.
Scatter scatter_of(const std::vector<double>& a, const std::vector<double>& b) {
  Scatter of_a = scatter_of(a);
  Scatter of_b = scatter_of(b);
  if (a.size() == 1) {
    const double one = of_b.variance * static_cast<double>(b.size());
    return {one + of_b.variance, one > 0 ? of_b.freedom : 0};
  }
  if (b.size() == 1) return scatter_of(b, a);
  const double sum = of_a.variance + of_b.variance;
  if (sum == 0) return {0, of_a.freedom + of_b.freedom};
  return {sum, sum * sum /
                   (of_a.variance * of_a.variance / of_a.freedom +
                    of_b.variance * of_b.variance / of_b.freedom)};
}

/// Prediction::update_chance. With the same replicas on both sides, so the same slow-downs, by their differences.
std::optional<double> chance_of(const Side& simulated, const Side& live) {
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<double> differences;
  for (const auto& [replica, times] : simulated.times) predicted.push_back(times.update_s);
  for (const auto& [replica, times] : live.times) {
    measured.push_back(times.update_s);
    const auto same = simulated.times.find(replica);
    if (same != simulated.times.end())
      differences.push_back(same->second.update_s - times.update_s);
  }
  const bool are_pairs =
      differences.size() == predicted.size() && differences.size() == measured.size();
  const Scatter scatter = are_pairs ? scatter_of(differences) : scatter_of(predicted, measured);
  if (scatter.freedom <= 0) return std::nullopt;
  constexpr double p_value = 0.05;
  return errors_for_p_value(scatter.freedom, p_value) * std::sqrt(scatter.variance) /
         live.figures.update_s;
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
  const auto predicted = sides_of(simulated);
  const auto measured = sides_of(live);
  std::vector<Prediction> both;
  for (const auto& [label, of] : measured) {
    const auto other = std::ranges::find(predicted, label, &std::pair<std::string, Side>::first);
    if (other == predicted.end()) continue;
    Prediction prediction{label, other->second.figures, of.figures};
    compare_targets(other->second, of, prediction);
    prediction.update_chance = chance_of(other->second, of);
    both.push_back(prediction);
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
