#include "sim/cli/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

#include "sim/base/place.hpp"
#include "sim/results/csv_table.hpp"

namespace motley {
namespace {

std::string digits(double value, int significant = 3) {
  if (std::abs(value) < 5e-7) return "0";  // what rounding leaves of nothing
  std::ostringstream text;
  text << std::setprecision(significant) << value;
  // No exponents in prose: large numbers are whole.
  if (text.str().find('e') == std::string::npos) return text.str();
  std::ostringstream plain;
  plain << std::fixed << std::setprecision(std::abs(value) < 1 ? 6 : 0) << value;
  return plain.str();
}

std::string duration(double seconds) {
  if (seconds >= 1) return digits(seconds, 4) + " s";
  if (seconds >= 1e-3) return digits(seconds * 1e3, 4) + " ms";
  return digits(seconds * 1e6, 4) + " us";
}

std::string percent(double share) {
  return digits(std::round(100 * share)) + " %";
}

std::string point_of(const CsvTable& runs, std::size_t row) {
  std::string point;
  for (const std::string& column : runs.columns()) {
    if (!column.starts_with("/")) continue;
    point += (point.empty() ? "" : " ") + column + "=" + runs.text(row, column);
  }
  return point;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The geometric mean of a member over the runs.
template <class Member>
double geometric_mean(const std::vector<const RunToTarget*>& runs, Member member) {
  double sum = 0;
  for (const RunToTarget* run : runs) sum += std::log(member(*run));
  return std::exp(sum / static_cast<double>(runs.size()));
}

WayToTarget way_of(const std::string& algorithm, const std::vector<const RunToTarget*>& runs) {
  WayToTarget way;
  way.algorithm = algorithm;
  way.time_s = geometric_mean(runs, [](const RunToTarget& r) { return *r.time_s; });
  way.updates = geometric_mean(runs, [](const RunToTarget& r) { return r.updates; });
  way.samples = geometric_mean(runs, [](const RunToTarget& r) { return r.samples; });
  for (const RunToTarget* run : runs) {
    const double weight = 1 / static_cast<double>(runs.size());
    for (std::size_t i = 0; i < time_parts.size(); ++i) {
      way.parts_s[i] += weight * run->shares[i] * way.per_sample_s();
    }
    way.mean_staleness += weight * run->mean_staleness;
  }
  return way;
}

class Table {
 public:
  void row(const std::string& name, const std::string& a, const std::string& b,
           const std::string& ratio) {
    rows_.push_back({name, a, b, ratio});
  }
  std::string text() const {
    std::array<std::size_t, 4> widths = {};
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::ostringstream line;
      line << "  " << std::left << std::setw(static_cast<int>(widths[0])) << row[0] << std::right;
      for (std::size_t i = 1; i < row.size(); ++i) {
        line << "   " << std::setw(static_cast<int>(widths[i])) << row[i];
      }
      text += line.str().substr(0, line.str().find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

 private:
  std::vector<std::array<std::string, 4>> rows_;
};

/// "waiting, 85 % of the difference": the part of a sample's time that makes most of the
/// difference.
std::string largest_part(const WayToTarget& first, const WayToTarget& second) {
  const double difference = second.per_sample_s() - first.per_sample_s();
  std::size_t largest = 0;
  for (std::size_t i = 0; i < time_parts.size(); ++i) {
    const auto gain = [&](std::size_t part) {
      return (second.parts_s[part] - first.parts_s[part]) / difference;
    };
    if (gain(i) > gain(largest)) largest = i;
  }
  const double share = (second.parts_s[largest] - first.parts_s[largest]) / difference;
  return std::string(time_parts[largest]) + " (" + duration(first.parts_s[largest]) + " against " +
         duration(second.parts_s[largest]) + " a sample, " + percent(share) + " of the difference)";
}

std::string staleness_note(const Explanation& e) {
  if (e.first.mean_staleness == e.second.mean_staleness) return "";
  return "; mean staleness " + digits(e.first.mean_staleness) + " against " +
         digits(e.second.mean_staleness);
}

std::string verdict(const Explanation& e) {
  const double speed = e.speed_factor();
  const double samples = e.samples_factor();
  const std::string& a = e.first.algorithm;
  const std::string& b = e.second.algorithm;
  std::ostringstream text;
  const std::string factors = "Speed " + digits(speed, 4) + " x learning " + digits(samples, 4) +
                              " = " + digits(e.ratio(), 4);
  if (e.about_equal()) return "Neither is first. " + factors + ".\n";
  const std::string faster = a + " handles a sample in " + percent(1 / speed) + " of " + b +
                             "'s time; the largest part of that is " +
                             largest_part(e.first, e.second);
  const std::string slower = a + " takes " + digits(1 / speed) + " times as long for a sample; " +
                             "the largest part of that is " + largest_part(e.first, e.second);
  const std::string fewer =
      a + " needs " + percent(1 / samples) + " of " + b + "'s samples" + staleness_note(e);
  const std::string more =
      a + " needs " + digits(1 / samples) + " times as many samples as " + b + staleness_note(e);
  // Less than a hundredth is no difference worth a sentence of its own.
  const auto helps = [](double factor) { return factor > 1.01; };
  const auto hurts = [](double factor) { return factor < 1 / 1.01; };
  const double of_speed = std::log(speed) / std::log(e.ratio());
  if (of_speed >= 0.5) {
    text << "Speed dominates: " << faster << ".\n";
    if (helps(samples)) text << "Learning helps, too: " << fewer << ".\n";
    if (hurts(samples)) text << "Learning takes some of it back: " << more << ".\n";
    if (!helps(samples) && !hurts(samples)) {
      text << "Learning makes no difference: both need the same samples" << staleness_note(e)
           << ".\n";
    }
  } else {
    text << "Learning dominates: " << fewer << ".\n";
    if (helps(speed)) text << "Speed helps, too: " << faster << ".\n";
    if (hurts(speed)) text << "Speed takes some of it back: " << slower << ".\n";
    if (!helps(speed) && !hurts(speed)) text << "Speed makes no difference.\n";
  }
  text << factors << ": of its logarithm, speed makes " << percent(of_speed) << " and learning "
       << percent(1 - of_speed) << ".\n";
  return text.str();
}

}  // namespace

std::vector<RunToTarget> runs_to_target(const std::filesystem::path& folder,
                                        const std::string& algorithm, const std::string& point) {
  const CsvTable runs(folder / "runs.csv");
  const CsvTable curves(folder / "curves.csv");
  std::set<std::string> algorithms;
  std::set<std::string> points;
  std::vector<RunToTarget> found;
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    algorithms.insert(runs.text(i, "algorithm"));
    points.insert(point_of(runs, i));
    if (runs.text(i, "algorithm") != algorithm || runs.text(i, "status") == "failed") continue;
    RunToTarget run;
    run.point = point_of(runs, i);
    if (!point.empty() && run.point != point) continue;
    run.replica = static_cast<std::uint64_t>(runs.number(i, "replica").value_or(0));
    run.time_s = runs.number(i, "time_to_target_s");
    run.mean_staleness = runs.number(i, "mean_staleness").value_or(0);
    run.best_accuracy = runs.number(i, "best_test_accuracy");
    double total = 0;
    const std::array<const char*, 4> columns = {"compute_s", "transfer_s", "wait_s", "discarded_s"};
    for (std::size_t part = 0; part < columns.size(); ++part) {
      run.shares[part] = runs.number(i, columns[part]).value_or(0);
      total += run.shares[part];
    }
    for (double& share : run.shares) share = total > 0 ? share / total : 0;
    for (std::size_t j = 0; run.time_s && j < curves.rows(); ++j) {
      if (curves.text(j, "run") != runs.text(i, "run")) continue;
      if (*curves.number(j, "time_s") < *run.time_s) continue;
      run.updates = curves.number(j, "updates").value_or(0);
      run.samples = curves.number(j, "samples").value_or(0);
      break;
    }
    found.push_back(run);
  }
  if (!algorithms.contains(algorithm)) {
    throw InputError(folder.string() + ": no run of '" + algorithm + "'" +
                     did_you_mean(algorithm, {algorithms.begin(), algorithms.end()}) +
                     "; there are " + listed(algorithms));
  }
  if (points.size() > 1 && point.empty()) {
    throw InputError(folder.string() +
                     ": is a sweep; choose a point with --at, one of: " + listed(points));
  }
  if (!point.empty() && !points.contains(point)) {
    throw InputError("--at: no such point '" + point + "'; there are: " + listed(points));
  }
  return found;
}

std::optional<Explanation> explain(const std::string& a, const std::vector<RunToTarget>& runs_a,
                                   const std::string& b, const std::vector<RunToTarget>& runs_b) {
  Explanation result;
  std::vector<const RunToTarget*> pairs_a;
  std::vector<const RunToTarget*> pairs_b;
  // Time 0 is an initial model that is good enough: nothing was done that could be compared.
  const auto reached = [](const RunToTarget& r) {
    return r.time_s.value_or(0) > 0 && r.updates > 0;
  };
  for (const RunToTarget& run_a : runs_a) {
    for (const RunToTarget& run_b : runs_b) {
      if (run_a.replica != run_b.replica || run_a.point != run_b.point) continue;
      if (reached(run_a) && reached(run_b)) {
        pairs_a.push_back(&run_a);
        pairs_b.push_back(&run_b);
      } else {
        ++result.left_out;
      }
    }
  }
  result.pairs = pairs_a.size();
  if (pairs_a.empty()) return std::nullopt;
  result.first = way_of(a, pairs_a);
  result.second = way_of(b, pairs_b);
  if (result.second.time_s < result.first.time_s) {
    std::swap(result.first, result.second);
    std::swap(pairs_a, pairs_b);
  }
  const auto times = [](const std::vector<const RunToTarget*>& runs) {
    std::vector<double> values;
    for (const RunToTarget* run : runs) values.push_back(*run->time_s);
    return values;
  };
  result.ratio_interval = speedup_of(times(pairs_b), times(pairs_a))->interval;
  return result;
}

std::string to_text(const Explanation& e) {
  const WayToTarget& a = e.first;
  const WayToTarget& b = e.second;
  std::ostringstream text;
  if (e.about_equal()) {
    text << a.algorithm << " and " << b.algorithm << " reach the target at about the same time: in "
         << duration(a.time_s) << " and " << duration(b.time_s);
  } else {
    text << a.algorithm << " reaches the target " << digits(e.ratio()) << " times as fast as "
         << b.algorithm << ": in " << duration(a.time_s) << " against " << duration(b.time_s);
  }
  if (e.pairs > 1) text << " (geometric means of " << e.pairs << " pairs of runs)";
  text << ".\n";
  if (e.ratio_interval) {
    text << "95 % interval of the ratio: " << digits(e.ratio_interval->low) << " to "
         << digits(e.ratio_interval->high)
         << (e.ratio_interval->contains(1) ? ", so it may be chance" : "") << ".\n";
  } else {
    text << "One pair of runs tells nothing of chance: more replicas would.\n";
  }
  if (e.left_out > 0) {
    text << e.left_out << (e.left_out == 1 ? " pair is" : " pairs are")
         << " left out: not both reached it.\n";
  }
  Table table;
  const auto ratio = [](double x, double y) { return digits(y / x, 4); };
  table.row("", a.algorithm, b.algorithm, b.algorithm + " / " + a.algorithm);
  for (std::size_t i = 0; i < time_parts.size(); ++i) {
    table.row((i == 0 ? "  " : "+ ") + std::string(time_parts[i]), duration(a.parts_s[i]),
              duration(b.parts_s[i]), "");
  }
  table.row("= time per sample", duration(a.per_sample_s()), duration(b.per_sample_s()),
            ratio(a.per_sample_s(), b.per_sample_s()));
  table.row("x samples per update", digits(a.samples_per_update(), 4),
            digits(b.samples_per_update(), 4),
            ratio(a.samples_per_update(), b.samples_per_update()));
  table.row("= time per update", duration(a.per_update_s()), duration(b.per_update_s()),
            ratio(a.per_update_s(), b.per_update_s()));
  table.row("x updates needed", digits(a.updates, 6), digits(b.updates, 6),
            ratio(a.updates, b.updates));
  table.row("= time to target", duration(a.time_s), duration(b.time_s), ratio(a.time_s, b.time_s));
  text << "\n" << table.text() << "\n" << verdict(e);
  text << "The parts of a sample's time follow the workers' time over their whole runs.\n";
  return text.str();
}

}  // namespace motley
