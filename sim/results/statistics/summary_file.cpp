#include "sim/results/statistics/summary_file.hpp"

#include <cmath>

namespace motley {
namespace {

using Summary = ColumnTable<ComparisonRow>;
using MaybeEstimate = std::optional<Estimate>;

std::optional<double> value_of(const MaybeEstimate& estimate) {
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::optional<double> low_of(const MaybeEstimate& estimate) {
  return estimate && estimate->interval ? std::optional(estimate->interval->low) : std::nullopt;
}

/// Empty where the interval is open.
std::optional<double> high_of(const MaybeEstimate& estimate) {
  if (!estimate || !estimate->interval || std::isinf(estimate->interval->high)) return std::nullopt;
  return estimate->interval->high;
}

std::optional<double> as_number(const std::optional<bool>& flag) {
  return flag ? std::optional(*flag ? 1.0 : 0.0) : std::nullopt;
}

void add_counts(Summary& t) {
  t.add("n", "", "runs finished", [](const ComparisonRow& r) { return r.runs.size(); });
  t.add("reached", "", "how many of them reached the target", &ComparisonRow::reached);
  t.add("failed", "", "how many of them failed", &ComparisonRow::failed);
  t.add("diverged", "", "how many of them diverged", &ComparisonRow::diverged);
}

void add_times(Summary& t) {
  t.add("time_to_target_mean_s", "s",
        "mean over the runs that reached the target; where reached is below n, a lower bound",
        [](const ComparisonRow& r) { return value_of(r.time_to_target_s); });
  t.add("time_to_target_median_s", "s",
        "median over all runs, those that never reached it counted as later than all others; empty "
        "when that is half of them or more",
        &ComparisonRow::time_to_target_median_s);
  t.add("time_to_target_low_s", "s",
        "lower end of the mean's interval, made on the log scale; empty where some runs did not "
        "reach the target",
        [](const ComparisonRow& r) { return low_of(r.time_to_target_s); });
  t.add("time_to_target_high_s", "s",
        "upper end of that interval; empty beside a lower end: it is open, as it goes beyond the "
        "end of the runs",
        [](const ComparisonRow& r) { return high_of(r.time_to_target_s); });
  t.add("resolution_s", "s",
        "mean distance of the evaluations between which the target was reached: the time is known "
        "no better",
        &ComparisonRow::resolution_s);
}

void add_comparison(Summary& t) {
  t.add("baseline", "", "the algorithm that the next columns compare with",
        &ComparisonRow::baseline);
  t.add("speedup", "",
        "how many times sooner than the baseline it reaches the target; as ratio in "
        "comparisons.csv",
        [](const ComparisonRow& r) { return value_of(r.versus_baseline().ratio); });
  t.add("speedup_low", "", "lower end of its interval",
        [](const ComparisonRow& r) { return low_of(r.versus_baseline().ratio); });
  t.add("speedup_high", "", "upper end of its interval",
        [](const ComparisonRow& r) { return high_of(r.versus_baseline().ratio); });
  t.add("speedup_pairs", "", "replicas it is based on",
        [](const ComparisonRow& r) { return r.versus_baseline().pairs; });
  t.add("speedup_bound", "",
        "as bound in comparisons.csv: whether the true ratio may be larger "
        "(at_least), smaller (at_most) or either (mixed)",
        [](const ComparisonRow& r) { return to_text(r.versus_baseline().bound); });
  t.add("verdict", "", "faster or slower than the baseline, or undecided; empty for the baseline",
        [](const ComparisonRow& r) {
          return r.algorithm == r.baseline ? "" : to_text(r.versus_baseline().verdict);
        });
}

void add_place(Summary& t) {
  t.add("cut_short_s", "s",
        "when the last of its runs ended that did not reach the target, where another algorithm "
        "first reached it only later: it is not known which would have been sooner",
        &ComparisonRow::cut_short_s);
  t.add("place", "",
        "1 = first at this point: by the share of runs that reached the target, then by their mean "
        "time; or else by final accuracy, then loss; empty where its runs were cut short",
        [](const ComparisonRow& r) {
          return r.cut_short_s ? std::nullopt : std::optional(static_cast<double>(r.place));
        });
  t.add("decided", "",
        "1 if comparisons.csv finds it faster than every lower-placed algorithm, 0 if not, empty "
        "if there is none",
        [](const ComparisonRow& r) { return as_number(r.decided); });
}

void add_estimate(Summary& t, const std::string& name, const std::string& what,
                  MaybeEstimate ComparisonRow::*member) {
  t.add(name + "_mean", "", "mean " + what,
        [member](const ComparisonRow& r) { return value_of(r.*member); });
  t.add(name + "_low", "", "lower end of its interval",
        [member](const ComparisonRow& r) { return low_of(r.*member); });
  t.add(name + "_high", "", "upper end of its interval",
        [member](const ComparisonRow& r) { return high_of(r.*member); });
}

void add_accuracies(Summary& t) {
  add_estimate(t, "final_accuracy", "final accuracy of the runs that neither failed nor diverged",
               &ComparisonRow::final_accuracy);
  add_estimate(t, "best_accuracy", "best accuracy of the runs that neither failed nor diverged",
               &ComparisonRow::best_accuracy);
  for (std::size_t i = 0; i < budget_parts.size(); ++i) {
    const std::string part = std::to_string(static_cast<int>(100 * budget_parts[i]));
    t.add("accuracy_at_" + part, "",
          "mean accuracy at " + part +
              " % of stop.time, or of the longest run at this point; a run "
              "that ended earlier keeps its last one, one that diverged has none",
          [i](const ComparisonRow& r) { return r.accuracy_at[i]; });
  }
}

void add_expense(Summary& t, const std::string& extra, const std::string& what,
                 const std::string& unit, MaybeEstimate ComparisonRow::*of_run,
                 MaybeEstimate ComparisonRow::*to_target) {
  const std::string ending = unit.empty() ? "" : "_" + unit;
  const auto add = [&](const std::string& name, const std::string& doc, auto get) {
    t.add_with(extra, name + ending, unit, doc, get);
  };
  add(what + "_mean", "mean " + what + " to the end of the runs that did not fail",
      [of_run](const ComparisonRow& r) { return value_of(r.*of_run); });
  add(what + "_to_target_mean",
      "mean " + what + " until the target was reached, over the runs that reached it",
      [to_target](const ComparisonRow& r) { return value_of(r.*to_target); });
  add(what + "_to_target_low", "lower end of its interval, made on the log scale",
      [to_target](const ComparisonRow& r) { return low_of(r.*to_target); });
  add(what + "_to_target_high", "upper end of that interval",
      [to_target](const ComparisonRow& r) { return high_of(r.*to_target); });
}

}  // namespace

const Summary& summary_table() {
  static const Summary table = [] {
    Summary t(
        "summary",
        "One row per algorithm and point of the sweep. Intervals are of 95 %, by Student's t, "
        "and empty with fewer than two values; those of times keep above 0, those of accuracies "
        "between 0 and 1. Means to the target have none where a run did not reach it.");
    t.add("algorithm", "", "label of the algorithm", &ComparisonRow::algorithm);
    t.add_axes([](const ComparisonRow& r) -> const std::vector<Json>& { return r.point; });
    add_counts(t);
    add_times(t);
    add_comparison(t);
    add_place(t);
    add_accuracies(t);
    t.add("utilisation", "",
          "mean share of the workers' time spent computing, over the runs that did not fail",
          &ComparisonRow::utilisation);
    t.add("tuned_at_edge", "",
          "1: its tuned parameters are at the edge of their grid, or no run of its tuning learnt "
          "anything, so that better ones may lie beyond; empty when nothing of it was tuned",
          [](const ComparisonRow& r) { return as_number(r.runs.front()->tuned_at_edge); });
    t.add(
        "tuned_share_of_grid", "",
        "which part of its grid was tried: below 1 it is a sample, as /tune/runs were too few, and "
        "better ones may lie between; empty when nothing of it was tuned",
        [](const ComparisonRow& r) { return r.runs.front()->tuned_share_of_grid; });
    t.add("bytes_to_target", "B",
          "mean over the runs that reached the target, interpolated between evaluations",
          &ComparisonRow::bytes_to_target);
    add_estimate(t, "final_loss", "final test loss of the runs that neither failed nor diverged",
                 &ComparisonRow::final_loss);
    add_expense(t, "energy", "energy", "J", &ComparisonRow::energy_J,
                &ComparisonRow::energy_to_target_J);
    add_expense(t, "cost", "cost", "", &ComparisonRow::cost, &ComparisonRow::cost_to_target);
    return t;
  }();
  return table;
}

std::string summary_csv(const std::vector<std::string>& axes,
                        const std::vector<ComparisonRow>& rows, const Extras& extras) {
  std::string text = summary_table().header(axes, extras);
  for (const ComparisonRow& row : rows) text += summary_table().line(row, extras);
  return text;
}

}  // namespace motley
