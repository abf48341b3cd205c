#include "sim/cli/tables/summary.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/cli/tables/limit_lines.hpp"
#include "sim/cli/tables/summary_row.hpp"
#include "sim/cli/tables/text_table.hpp"
#include "sim/cli/tables/time_budget.hpp"
#include "sim/cli/tables/winners.hpp"
#include "sim/results/tables/run_tables.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/study/trained_and_modelled.hpp"

namespace motley {
namespace {

TextRow header_of(const std::vector<std::string>& axis_names, const std::string& baseline,
                  bool has_target, bool has_accuracy, const Extras& extras) {
  TextRow header = {"algorithm"};
  header.insert(header.end(), axis_names.begin(), axis_names.end());
  if (has_target) {
    header.push_back("time to target");
    header.push_back("vs " + baseline);
  } else {
    header.push_back("status");
  }
  for (const char* name : {has_accuracy ? "final accuracy" : "final loss", "updates",
                           "mean staleness", "utilisation", "of the limit", "bytes"}) {
    header.push_back(name);
  }
  for (const std::string& extra : {std::string("cost"), std::string("energy")}) {
    if (!extras.contains(extra)) continue;
    header.push_back(has_target ? extra + " to target" : extra);
  }
  return header;
}

/// How near it comes to the samples per second of all workers together.
std::string of_the_limit(const ComparisonRow& comparison, const std::vector<LimitRow>& limits) {
  const auto found = std::ranges::find_if(limits, [&](const LimitRow& row) {
    return row.algorithm == comparison.algorithm && row.point == comparison.point;
  });
  if (found == limits.end() || !found->of_the_limit()) return "-";
  return percent(*found->of_the_limit());
}

TextRow table_row(const ComparisonRow& comparison, const std::vector<LimitRow>& limits,
                  bool has_target, bool has_accuracy, const Extras& extras) {
  const SummaryRow cells(comparison);
  TextRow row = {cells.algorithm()};
  for (const Json& value : comparison.point) row.push_back(shown_value(value));
  if (has_target) {
    row.push_back(cells.time_to_target());
    row.push_back(cells.speedup());
  } else {
    row.push_back(cells.status());
  }
  row.push_back(has_accuracy ? cells.final_accuracy() : cells.final_loss());
  for (const std::string& text : {cells.updates(), cells.mean_staleness(), cells.utilisation(),
                                  of_the_limit(comparison, limits), cells.bytes()}) {
    row.push_back(text);
  }
  if (extras.contains("cost")) row.push_back(cells.cost(has_target));
  if (extras.contains("energy")) row.push_back(cells.energy(has_target));
  return row;
}

/// By point, in the order of the sweep; then by place.
std::vector<const ComparisonRow*> in_table_order(const std::vector<ComparisonRow>& rows) {
  std::map<std::string, std::size_t> place_of_point;
  for (const ComparisonRow& row : rows) {
    place_of_point.try_emplace(Json(row.point).dump(), place_of_point.size());
  }
  const auto order = [&](const ComparisonRow& row) {
    return std::pair(place_of_point.at(Json(row.point).dump()), row.place);
  };
  std::vector<const ComparisonRow*> sorted;
  for (const ComparisonRow& row : rows) sorted.push_back(&row);
  std::sort(sorted.begin(), sorted.end(),
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

/// "ratio=8 bandwidth=1Gbps".
std::string point_text(const std::vector<std::string>& axis_names, const std::vector<Json>& point) {
  std::string text;
  for (std::size_t i = 0; i < point.size(); ++i) {
    text += (i == 0 ? "" : " ") + axis_names[i] + "=" + shown_value(point[i]);
  }
  return text;
}

/// " at ratio=8"; nothing without a sweep.
std::string at_point(const std::vector<std::string>& axis_names, const std::vector<Json>& point) {
  return point.empty() ? "" : " at " + point_text(axis_names, point);
}

/// Whether it is of the algorithm at a point, not of the run that it is kept with.
bool is_of_tuning(const RunWarning& warning) {
  return warning.kind == "at_edge" || warning.kind == "tuned_in_vain" ||
         warning.kind == "sampled_grid" || warning.kind == "cut_short";
}

/// What is said of one run, or alike of several of an algorithm, in the order of the rows.
struct SaidOfRuns {
  std::string algorithm;
  std::string text;
  bool is_warning = false;
  bool is_of_tuning = false;
  std::vector<std::string> names = {};  ///< of the runs; of what is said of a tuning, the points
};

/// "sync-3", "sync (3 of 5 runs: sync-0, sync-2, sync-3)", "sync (4 of 5 runs)".
std::string who_is_meant(const SaidOfRuns& said, std::size_t runs) {
  constexpr std::size_t many = 4;  // are counted, fewer are named
  const std::size_t count = said.names.size();
  const std::string& first = said.names.front();
  if (count == 1 && said.is_of_tuning)
    return said.algorithm + (first.empty() ? "" : " at " + first);
  if (count == 1) return first;
  std::string text = said.algorithm + " (" +
                     (said.is_of_tuning ? "at " + std::to_string(count) + " points"
                                        : std::to_string(count) + " of " + counted(runs, "run"));
  if (count < std::min(many, runs)) {
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? ": " : ", ") + said.names[i];
  }
  return text + ")";
}

/// What is wrong with the runs, or to be known of them, one line each; but what is the same of
/// several runs of an algorithm is one line.
std::vector<std::string> warnings_about(const std::vector<const ComparisonRow*>& rows,
                                        const std::vector<std::string>& axes) {
  std::vector<SaidOfRuns> all;
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // by algorithm and words
  const auto say = [&](const SaidOfRuns& said, const std::string& name) {
    const auto [place, is_new] = known.try_emplace({said.algorithm, said.text}, all.size());
    if (is_new) all.push_back(said);
    all[place->second].names.push_back(name);
  };
  std::map<std::string, std::size_t> runs;
  for (const ComparisonRow* row : rows) {
    runs[row->algorithm] += row->runs.size();
    for (const RunResult* r : row->runs) {
      const std::string name = row->runs.size() == 1 && row->point.empty() ? r->algorithm : r->run;
      if (r->status != RunStatus::ok)
        say({r->algorithm, to_text(r->status) + ": " + r->reason}, name);
      for (const RunWarning& warning : r->warnings) {
        const bool of_tuning = is_of_tuning(warning);
        say({r->algorithm, warning.text, true, of_tuning},
            of_tuning ? point_text(axis_names(axes), row->point) : name);
      }
    }
  }
  std::vector<std::string> lines;
  for (const SaidOfRuns& said : all) {
    lines.push_back((said.is_warning ? "warning: " : "") +
                    who_is_meant(said, runs[said.algorithm]) + " " + said.text);
  }
  return lines;
}

void print_warnings(std::ostream& out, const std::vector<const ComparisonRow*>& rows,
                    const std::vector<std::string>& axes) {
  const std::vector<std::string> lines = warnings_about(rows, axes);
  constexpr std::size_t most = 20;
  if (!lines.empty()) out << "\n";
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) out << "  " << lines[i] << "\n";
  if (lines.size() > most) {
    out << "  ... and " << lines.size() - most << " more, see runs.csv and warnings.csv\n";
  }
}

/// Where the time of each algorithm went, by the first of its runs that did not fail.
void print_time_budgets(std::ostream& out, const std::vector<const ComparisonRow*>& rows) {
  out << "\nWhere the time went\n";
  for (const ComparisonRow* row : rows) {
    const auto ran = std::find_if(row->runs.begin(), row->runs.end(), [](const RunResult* r) {
      return r->status != RunStatus::failed;
    });
    if (ran != row->runs.end()) out << "  " << row->algorithm << ": " << time_budget(**ran) << "\n";
  }
}

/// A sweep may have hundreds.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 6;
  if (names.size() <= most) return listed(names);
  return listed(std::vector<std::string>(names.begin(), names.begin() + most)) + " and " +
         counted(names.size() - most, "more pair") + ", see comparisons.csv";
}

/// Which neighbours of the table might change places if evaluations were more frequent.
void print_resolution(std::ostream& out, const std::vector<const ComparisonRow*>& rows,
                      const std::vector<std::string>& axes) {
  std::vector<std::string> names;
  double widest = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i - 1]->point != rows[i]->point) continue;
    const PairedRatio* result = rows[i - 1]->result_against(rows[i]->algorithm);
    if (result == nullptr || !result->is_within_resolution()) continue;
    names.push_back(rows[i - 1]->algorithm + " and " + rows[i]->algorithm +
                    at_point(axis_names(axes), rows[i]->point));
    widest = std::max(widest, result->resolution_s);
  }
  if (names.empty()) return;
  const bool sweep = !rows.front()->point.empty();
  out << "  resolution of time to target: " << seconds(widest)
      << " between evaluations (/evaluate/every) or merges; within it: "
      << (sweep ? first_of(names) : listed(names)) << "\n";
}

/// What the marks in the table mean, of those that are there.
void print_legend(std::ostream& out, const std::vector<const ComparisonRow*>& rows,
                  bool has_target) {
  bool repeated = false;
  bool undecided = false;
  bool bound = false;
  bool cut = false;
  bool late = false;
  bool open = false;
  bool edge = false;
  for (const ComparisonRow* row : rows) {
    const SummaryRow cells(*row);
    repeated = repeated || row->runs.size() > 1;
    undecided = undecided || cells.is_undecided();
    bound = bound || cells.is_bound();
    cut = cut || cells.is_cut();
    late = late || cells.is_late();
    open = open || cells.is_open();
    edge = edge || cells.is_at_edge();
  }
  if (repeated) out << "\n  []: 95 % confidence intervals (Student t); see summary.csv\n";
  if (edge) out << (repeated ? "" : "\n") << edge_line;
  if (!has_target) return;
  if (!repeated && !rows.front()->against.empty()) out << "\n" << one_replica_line;
  if (undecided) {
    out << "  " << undecided_mark
        << " undecided, after correction for the number of pairs or within the resolution, though "
           "an interval may exclude 1; see comparisons.csv\n";
  }
  if (bound || late) {
    out << "  > and <: at least, at most, as some runs ended before they reached the target; of a "
           "time, the mean of those that did\n";
  }
  if (open) {
    out << "  " << SummaryRow::open_mark
        << ": the interval goes beyond the end of the runs; more replicas narrow it\n";
  }
  if (cut) {
    out << " " << SummaryRow::cut_mark
        << ": runs of both algorithms ended before the target, or those of one ended before the "
           "other reached it; their times are censored there\n";
  }
}

/// What the number of replicas can tell, where it leaves something undecided and more would help
/// much; equal times in all replicas are no such case.
void print_power(std::ostream& out, const std::vector<const ComparisonRow*>& rows) {
  constexpr double hard = 4;
  constexpr double easy = 2;
  const ComparisonRow& first = *rows.front();
  const std::size_t replicas = first.runs.size();
  const std::size_t pairs = (first.against.size() + 1) * first.against.size() / 2;
  const bool undecided = std::any_of(rows.begin(), rows.end(), [](const ComparisonRow* row) {
    return std::any_of(row->against.begin(), row->against.end(), [](const auto& other) {
      return other.result.p_value && *other.result.p_value < 1 &&
             other.result.verdict == Verdict::undecided;
    });
  });
  if (!undecided || replicas < 2 || deviations_to_decide(replicas, pairs) < hard) return;
  std::size_t enough = replicas;
  while (deviations_to_decide(enough, pairs) > easy) ++enough;
  out << "  with " << replicas << " replicas and " << counted(pairs, "pair")
      << " only differences above " << fixed(deviations_to_decide(replicas, pairs), 1)
      << " standard deviations (log ratio) are significant; " << enough
      << " replicas would bring that down to " << fixed(deviations_to_decide(enough, pairs), 1)
      << "\n";
}

}  // namespace

void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<std::string>& axes, const std::vector<RunResult>& results,
                   const std::vector<LimitRow>& limits) {
  if (results.empty()) return;
  const Scenario& scenario = experiment.scenario();
  const bool has_target = scenario.target.has_value();
  const bool has_accuracy = experiment.problem().has_accuracy();
  const std::vector<ComparisonRow> compared = compare(results, experiment.baseline());
  const std::vector<const ComparisonRow*> rows = in_table_order(compared);
  const Extras extras = extras_of(results);

  out << "\n";
  if (const std::string line = trained_and_modelled(experiment); !line.empty()) {
    const bool is_swept = std::any_of(axes.begin(), axes.end(), [](const std::string& axis) {
      return axis.starts_with("/cost") || axis.starts_with("/model") || axis.starts_with("/data");
    });
    out << line << (is_swept ? " (at the first point)" : "") << ".\n\n";
  }
  const bool target_is_swept = std::any_of(axes.begin(), axes.end(), [](const std::string& axis) {
    return axis.starts_with("/target");
  });
  if (has_target) {
    out << "Target: " << (target_is_swept ? "as swept" : target_text(*scenario.target)) << "\n\n";
  }
  if (!axes.empty() && rows.size() > screenful) {
    print_winners(out, rows, axis_names(axes), has_target, has_accuracy);
  } else {
    std::vector<TextRow> table = {
        header_of(axis_names(axes), experiment.baseline(), has_target, has_accuracy, extras)};
    for (const ComparisonRow* row : rows) {
      table.push_back(table_row(*row, limits, has_target, has_accuracy, extras));
    }
    print_table(out, table);
    print_legend(out, rows, has_target);
  }
  if (has_target) print_power(out, rows);
  if (has_target) print_resolution(out, rows, axes);
  if (axes.empty()) {
    print_time_budgets(out, rows);
    print_limits(out, limits, experiment.cluster().workers.size());
  }
  print_warnings(out, rows, axes);
}

}  // namespace motley
