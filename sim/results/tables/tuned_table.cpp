#include "sim/results/tables/tuned_table.hpp"

#include <algorithm>

namespace motley {
namespace {

/// The tuned parameters of all algorithms, in the order in which they occur.
std::vector<std::string> parameters_of(const RunTable& table) {
  std::vector<std::string> parameters;
  for (const TuningRecord& record : table.tuning) {
    for (const std::string& name : record.parameters) {
      if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
        parameters.push_back(name);
      }
    }
  }
  return parameters;
}

}  // namespace

const ColumnTable<TunedRow>& tuned_table() {
  static const ColumnTable<TunedRow> table = [] {
    ColumnTable<TunedRow> t(
        "tuned",
        "One row per candidate that was tried for an algorithm at a point of the sweep, on seeds "
        "that are not reported.");
    t.add("algorithm", "", "label of the algorithm", &TunedRow::algorithm);
    t.add("candidate", "", "number of the candidate, from 0; those beyond the grid come last",
          &TunedRow::candidate);
    t.add_axes(
        [](const TunedRow& r) -> const std::vector<Json>& { return r.values; },
        "one column per tuned parameter, empty for algorithms that do not tune it, then one per "
        "axis of the sweep, named by its JSON pointer");
    t.add("rung", "", "the last round it took part in, from 0", &TunedRow::rung);
    t.add("seeds", "", "runs finished, each on a tuning seed of its own",
          [](const TunedRow& r) { return r.score.seeds; });
    t.add("reached", "", "how many of them reached the target",
          [](const TunedRow& r) { return r.score.reached; });
    t.add("broken", "", "how many of them diverged or failed, and so reached nothing",
          [](const TunedRow& r) { return r.score.broken; });
    t.add("time_to_target_s", "s", "geometric mean over those that reached it",
          [](const TunedRow& r) { return r.score.time_to_target_s; });
    t.add("best_test_accuracy", "", "mean over those that are not broken",
          [](const TunedRow& r) { return r.score.best_test_accuracy; });
    t.add("final_test_loss", "", "mean over those that are not broken",
          [](const TunedRow& r) { return r.score.final_test_loss; });
    t.add("chosen", "", "1: the reported runs have these values", &TunedRow::chosen);
    t.add("at_edge", "", "1: chosen at the edge of a grid, so that a better one may lie beyond",
          &TunedRow::at_edge);
    return t;
  }();
  return table;
}

std::string tuned_csv(const RunTable& table,
                      const std::function<const RunResult*(const std::string& hash)>& result) {
  const std::vector<std::string> parameters = parameters_of(table);
  std::vector<std::string> columns = parameters;
  columns.insert(columns.end(), table.axes.begin(), table.axes.end());
  std::string csv = tuned_table().header(columns);
  for (const TuningRecord& record : table.tuning) {
    for (std::size_t i = 0; i < record.candidates.size(); ++i) {
      const CandidateRecord& candidate = record.candidates[i];
      std::vector<const RunResult*> runs;
      for (const std::string& hash : candidate.hashes) {
        if (const RunResult* run = result(hash)) runs.push_back(run);
      }
      TunedRow row{record.label, i, {}, candidate.rung, score_of(runs), false, false};
      for (const std::string& name : parameters) {
        row.values.push_back(candidate.values.value(name, Json("")));
      }
      row.values.insert(row.values.end(), record.point.begin(), record.point.end());
      row.chosen = record.chosen == static_cast<std::int64_t>(i);
      row.at_edge = row.chosen && record.at_edge;
      csv += tuned_table().line(row);
    }
  }
  return csv;
}

}  // namespace motley
