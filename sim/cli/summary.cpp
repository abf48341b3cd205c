#include "sim/cli/summary.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>
#include <tuple>

#include "sim/base/json.hpp"
#include "sim/results/statistics/comparison.hpp"
#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string percent(double share) {
  return fixed(100 * share, 0) + " %";
}

/// A time as one of the size of `like` is written, without its unit.
std::string seconds_number(double s, double like) {
  if (like >= 100) return fixed(s, 1);
  if (like >= 1) return fixed(s, 2);
  return fixed(s * 1e3, 3);
}

std::string seconds(double s) {
  return seconds_number(s, s) + (s >= 1 ? " s" : " ms");
}

std::string data_size(double bytes) {
  if (bytes >= 1e12) return fixed(bytes / 1e12, 2) + " TB";
  if (bytes >= 1e9) return fixed(bytes / 1e9, 2) + " GB";
  if (bytes >= 1e6) return fixed(bytes / 1e6, 2) + " MB";
  return fixed(bytes / 1e3, 2) + " kB";
}

/// Share of all workers' time.
double share(const RunResult& result, double seconds_summed) {
  const double total = result.virtual_s * static_cast<double>(result.workers.size());
  return total > 0 ? seconds_summed / total : 0;
}

/// "slowest class: cpu"; where speeds differ within that class, "slowest worker: node7".
std::string slowest(const RunResult& result) {
  const auto last = std::min_element(
      result.workers.begin(), result.workers.end(),
      [](const WorkerResult& a, const WorkerResult& b) { return a.speed_flops < b.speed_flops; });
  const bool class_is_even =
      std::all_of(result.workers.begin(), result.workers.end(), [&](const WorkerResult& worker) {
        return worker.class_name != last->class_name || worker.speed_flops == last->speed_flops;
      });
  const auto equals = std::count_if(
      result.workers.begin(), result.workers.end(),
      [&](const WorkerResult& worker) { return worker.speed_flops == last->speed_flops; });
  if (class_is_even) return "slowest class: " + last->class_name;
  return equals == 1 ? "slowest worker: " + last->name
                     : std::to_string(equals) + " slowest workers: " + last->name + " and others";
}

using Row = std::vector<std::string>;

/// How many characters it takes on the screen: bytes that go on a character do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

void print_table(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      out << (i == 0 ? "  " + row[i] + padding : "   " + padding + row[i]);
    }
    out << "\n";
  }
}

/// "0.8526 ± 0.0012".
std::string with_interval(const std::optional<Estimate>& estimate, int digits) {
  if (!estimate) return "-";
  const std::optional<Interval>& interval = estimate->interval;
  return fixed(estimate->value, digits) +
         (interval ? " ± " + fixed((interval->high - interval->low) / 2, digits) : "");
}

/// What the table says of one algorithm at one point of the sweep.
class TableRow {
 public:
  TableRow(const ComparisonRow& row, const std::string& baseline)
      : row_(row), is_baseline_(row.algorithm == baseline), repeated_(row.runs.size() > 1) {}

  /// "12.30 s ± 0.40 (5/5)": the mean of those that reached the target, and how many did.
  std::string time_to_target() const {
    const std::string count = repeated_ ? " (" + std::to_string(row_.reached) + "/" +
                                              std::to_string(row_.runs.size()) + ")"
                                        : "";
    if (!row_.time_to_target_s) return (repeated_ ? "not reached" : status("not reached")) + count;
    const std::optional<Interval>& interval = row_.time_to_target_s->interval;
    return seconds(row_.time_to_target_s->value) +
           (interval ? " ± " + seconds_number((interval->high - interval->low) / 2,
                                              row_.time_to_target_s->value)
                     : "") +
           count;
  }

  /// "1.92x [1.85, 1.99]"; with a mark when the repetitions do not show a difference.
  std::string speedup() const {
    if (!row_.speedup) return "-";
    const std::optional<Interval>& interval = row_.speedup->interval;
    std::string text = fixed(row_.speedup->value, 2) + "x";
    if (is_baseline_) return text;
    if (interval) text += " [" + fixed(interval->low, 2) + ", " + fixed(interval->high, 2) + "]";
    if (row_.speedup_pairs < row_.runs.size()) {
      text += " (" + std::to_string(row_.speedup_pairs) +
              (row_.speedup_pairs == 1 ? " pair)" : " pairs)");
    }
    return (is_unsure() ? unsure_mark : "") + text;
  }

  bool is_unsure() const {
    return repeated_ && !is_baseline_ && row_.speedup &&
           (row_.speedup_pairs < row_.runs.size() || !row_.speedup->interval ||
            row_.speedup->interval->contains(1));
  }

  /// The status of most interest among the runs, or this if all are well.
  std::string status(const std::string& if_well = "ok") const {
    const std::string count = repeated_ ? " of " + std::to_string(row_.runs.size()) : "";
    const auto some = [&](std::size_t n, const char* what) {
      return (repeated_ ? std::to_string(n) + count + " " : "") + what;
    };
    if (row_.failed > 0) return some(row_.failed, "failed");
    if (row_.diverged > 0) return some(row_.diverged, "diverged");
    return if_well;
  }

  std::optional<Estimate> mean(
      const std::function<std::optional<double>(const RunResult&)>& figure) const {
    std::vector<double> values;
    for (const RunResult* run : row_.runs) {
      if (run->status == "failed") continue;
      if (const std::optional<double> value = figure(*run)) values.push_back(*value);
    }
    return mean_of(values);
  }

  static constexpr const char* unsure_mark = "~";

 private:
  const ComparisonRow& row_;
  bool is_baseline_;
  bool repeated_;
};

Row table_row(const ComparisonRow& comparison, const std::string& baseline, bool has_target,
              bool has_accuracy) {
  const TableRow cells(comparison, baseline);
  Row row = {comparison.algorithm};
  for (const Json& value : comparison.point) row.push_back(shown_value(value));
  if (has_target) {
    row.push_back(cells.time_to_target());
    row.push_back(cells.speedup());
  } else {
    row.push_back(cells.status());
  }
  if (has_accuracy)
    row.push_back(with_interval(comparison.final_accuracy, 4));
  else
    row.push_back(with_interval(cells.mean([](const auto& r) { return r.final_test_loss; }), 6));
  const auto plain = [&](double RunResult::*member) {
    return cells.mean([member](const RunResult& r) { return std::optional(r.*member); });
  };
  const std::optional<Estimate> updates =
      cells.mean([](const RunResult& r) { return std::optional(static_cast<double>(r.updates)); });
  const std::optional<Estimate> staleness = plain(&RunResult::mean_staleness);
  const std::optional<Estimate> bytes = plain(&RunResult::bytes);
  row.push_back(updates ? fixed(updates->value, 0) : "-");
  row.push_back(staleness ? fixed(staleness->value, 2) : "-");
  row.push_back(comparison.utilisation ? percent(*comparison.utilisation) : "-");
  row.push_back(bytes ? data_size(bytes->value) : "-");
  return row;
}

/// By point, in the order of the sweep; then those that reached the target most often, and soonest.
std::vector<const ComparisonRow*> in_table_order(const std::vector<ComparisonRow>& rows) {
  std::map<std::string, std::size_t> place_of_point;
  for (const ComparisonRow& row : rows) {
    place_of_point.try_emplace(Json(row.point).dump(), place_of_point.size());
  }
  const auto order = [&](const ComparisonRow& row) {
    const double time = row.time_to_target_s ? row.time_to_target_s->value : INFINITY;
    const double accuracy = row.final_accuracy ? row.final_accuracy->value : -1;
    return std::tuple(place_of_point.at(Json(row.point).dump()),
                      -static_cast<double>(row.reached) / static_cast<double>(row.runs.size()),
                      time, -accuracy);
  };
  std::vector<const ComparisonRow*> sorted;
  for (const ComparisonRow& row : rows) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto* a, const auto* b) { return order(*a) < order(*b); });
  return sorted;
}

/// The last part of each pointer, or all of it where two axes would be called the same.
std::vector<std::string> axis_names(const std::vector<std::string>& axes) {
  const auto last = [](const std::string& pointer) {
    return pointer.substr(pointer.rfind('/') + 1);
  };
  std::vector<std::string> names;
  for (const std::string& axis : axes) {
    const auto same = std::count_if(axes.begin(), axes.end(), [&](const std::string& other) {
      return last(other) == last(axis);
    });
    names.push_back(same > 1 ? axis : last(axis));
  }
  return names;
}

std::string target_text(const TargetSpec& target) {
  std::ostringstream text;
  if (target.accuracy)
    text << "test accuracy " << *target.accuracy;
  else
    text << "test loss " << *target.loss;
  return text.str();
}

/// What is wrong with a run, one line each.
void add_warnings(std::vector<std::string>& warnings, const Experiment& experiment,
                  const RunResult& r, const std::string& name) {
  if (r.status != "ok") warnings.push_back(name + " " + r.status + ": " + r.reason);
  const std::size_t classes = experiment.classes();
  if (r.status == "ok" && r.best_test_accuracy && classes > 0 && r.updates > 0 &&
      *r.best_test_accuracy < 1.5 / static_cast<double>(classes)) {
    warnings.push_back("warning: " + name + " never left chance (best accuracy " +
                       fixed(*r.best_test_accuracy, 3) + " with " + std::to_string(classes) +
                       " classes): try another step_size");
  }
  if (r.status == "ok" && r.updates == 0 && !r.time_to_target_s) {
    warnings.push_back("warning: " + name + " finished no update: is /stop too early?");
  }
}

void print_warnings(std::ostream& out, const Experiment& experiment,
                    const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::string> warnings;
  for (const ComparisonRow* row : rows) {
    const bool alone = row->runs.size() == 1 && row->point.empty();
    for (const RunResult* r : row->runs) {
      add_warnings(warnings, experiment, *r, alone ? r->algorithm : r->run);
    }
  }
  constexpr std::size_t most = 20;
  if (!warnings.empty()) out << "\n";
  for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) {
    out << "  " << warnings[i] << "\n";
  }
  if (warnings.size() > most) {
    out << "  ... and " << warnings.size() - most << " more, see runs.csv\n";
  }
}

/// Where the time of each algorithm went, by the first of its runs that did not fail.
void print_bottlenecks(std::ostream& out, const std::vector<const ComparisonRow*>& rows) {
  out << "\nWhere the time went\n";
  for (const ComparisonRow* row : rows) {
    const auto ran = std::find_if(row->runs.begin(), row->runs.end(),
                                  [](const RunResult* r) { return r->status != "failed"; });
    if (ran != row->runs.end()) out << "  " << row->algorithm << ": " << bottleneck(**ran) << "\n";
  }
}

/// Between the evaluation that found the target reached and the one before: how much sooner it may
/// have been. The mean of the runs that reached it, as their time is.
double resolution(const ComparisonRow& row) {
  std::vector<double> gaps;
  for (const RunResult* run : row.runs) {
    if (!run->time_to_target_s) continue;
    double before = *run->time_to_target_s;
    for (const CurvePoint& point : run->curve) {
      if (point.time_s < *run->time_to_target_s) before = point.time_s;
    }
    gaps.push_back(*run->time_to_target_s - before);
  }
  const std::optional<Estimate> mean = mean_of(gaps);
  return mean ? mean->value : 0;
}

/// Which neighbours of the table might change places if evaluations were more frequent.
void print_resolution(std::ostream& out, const std::vector<const ComparisonRow*>& rows) {
  std::string names;
  std::size_t pairs = 0;
  double widest = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const ComparisonRow& first = *rows[i - 1];
    const ComparisonRow& second = *rows[i];
    if (first.point != second.point || !first.time_to_target_s || !second.time_to_target_s)
      continue;
    // The first may be the later one, if more of its replicas reached the target.
    const double later_by = second.time_to_target_s->value - first.time_to_target_s->value;
    const double gap = resolution(later_by >= 0 ? second : first);
    if (std::abs(later_by) >= gap) continue;
    names += (pairs > 0 ? ", " : "") + first.algorithm + " and " + second.algorithm;
    ++pairs;
    widest = std::max(widest, gap);
  }
  if (pairs == 0) return;
  const bool sweep = !rows.front()->point.empty();
  out << "  resolution of time to target: " << seconds(widest)
      << " between evaluations (/evaluate/every); within it: "
      << (sweep ? std::to_string(pairs) + (pairs == 1 ? " pair" : " pairs") + " of neighbours"
                : names)
      << "\n";
}

}  // namespace

std::string bottleneck(const RunResult& r) {
  if (r.workers.empty() || r.virtual_s <= 0) return "nothing happened";
  const LinkResult* busiest = nullptr;
  double busy = 0;
  for (const LinkResult& link : r.links) {
    const double use = link.bytes / (link.bandwidth_Bps * r.virtual_s);
    if (busiest == nullptr || use > busy) {
      busiest = &link;
      busy = use;
    }
  }
  const double compute = share(r, r.compute_s());
  const double transfer = share(r, r.transfer_s());
  const double wait = share(r, r.wait_s());
  const double discarded = share(r, r.discarded_s());
  const std::string budget = "compute " + percent(compute) + ", transfer " + percent(transfer) +
                             ", wait " + percent(wait) +
                             (discarded > 0 ? ", discarded " + percent(discarded) : "");
  const std::string link =
      busiest == nullptr ? "" : "; busiest link " + busiest->name + " " + percent(busy);
  std::string largest;
  if (busiest != nullptr && busy >= 0.7) {
    largest = "link " + busiest->name;
  } else if (compute >= 0.75) {
    largest = "computing";
  } else if (discarded >= std::max(transfer, wait)) {
    largest = "work thrown away";
  } else if (wait >= transfer) {
    largest = "waiting for stragglers (" + slowest(r) + ")";
  } else {
    largest = busy < 0.3 ? "messages under way while no link is busy" : "messages under way";
  }
  return "bottleneck: " + largest + " (" + budget + link + ")";
}

void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<std::string>& axes, const std::vector<RunResult>& results) {
  if (results.empty()) return;
  const Scenario& scenario = experiment.scenario();
  const bool has_target = scenario.target.has_value();
  const bool has_accuracy = experiment.problem().has_accuracy();
  const std::string baseline = experiment.baseline();
  const std::vector<ComparisonRow> compared = compare(results, baseline);
  const std::vector<const ComparisonRow*> rows = in_table_order(compared);

  Row header = {"algorithm"};
  for (const std::string& name : axis_names(axes)) header.push_back(name);
  if (has_target) {
    header.push_back("time to target");
    header.push_back("vs " + baseline);
  } else {
    header.push_back("status");
  }
  for (const char* name : {has_accuracy ? "final accuracy" : "final loss", "updates",
                           "mean staleness", "utilisation", "bytes"}) {
    header.push_back(name);
  }
  std::vector<Row> table = {header};
  bool repeated = false;
  bool unsure = false;
  for (const ComparisonRow* row : rows) {
    table.push_back(table_row(*row, baseline, has_target, has_accuracy));
    repeated = repeated || row->runs.size() > 1;
    unsure = unsure || TableRow(*row, baseline).is_unsure();
  }

  out << "\n";
  const bool target_is_swept = std::any_of(axes.begin(), axes.end(), [](const std::string& axis) {
    return axis.starts_with("/target");
  });
  if (has_target) {
    out << "Target: " << (target_is_swept ? "as swept" : target_text(*scenario.target)) << "\n\n";
  }
  print_table(out, table);
  if (repeated) out << "\n  ± and []: 95 % confidence intervals (Student t); see summary.csv\n";
  if (unsure && has_target) {
    out << "  " << TableRow::unsure_mark
        << " too close to tell: the interval of the speed-up contains 1, or not every pair of runs "
           "reached the target\n";
  }
  if (has_target) print_resolution(out, rows);
  if (axes.empty()) print_bottlenecks(out, rows);
  print_warnings(out, experiment, rows);
}

}  // namespace motley
