#include "sim/study/tuned_file.hpp"

#include <algorithm>

#include "sim/results/csv_row.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/study/tuning_score.hpp"

namespace motley {

std::string tuned_csv(const RunTable& table,
                      const std::function<const RunResult*(const std::string& hash)>& result) {
  std::vector<std::string> parameters;  // of all algorithms
  for (const TuningRecord& record : table.tuning) {
    for (const std::string& name : record.parameters) {
      if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
        parameters.push_back(name);
      }
    }
  }
  std::string csv = "algorithm,candidate";
  for (const std::string& name : parameters) csv += "," + cell(name);
  csv +=
      ",rung,seeds,reached,time_to_target_s,best_test_accuracy,final_test_loss,broken,chosen,at_"
      "edge";
  for (const std::string& axis : table.axes) csv += "," + cell(axis);
  csv += "\n";
  for (const TuningRecord& record : table.tuning) {
    for (std::size_t i = 0; i < record.candidates.size(); ++i) {
      const CandidateRecord& candidate = record.candidates[i];
      std::vector<const RunResult*> runs;
      for (const std::string& hash : candidate.hashes) {
        if (const RunResult* run = result(hash)) runs.push_back(run);
      }
      const TuningScore score = score_of(runs);
      const bool chosen = record.chosen == static_cast<std::int64_t>(i);
      csv += cell(record.label) + "," + cell(i);
      for (const std::string& name : parameters) {
        csv += "," + (candidate.values.contains(name) ? cell(shown_value(candidate.values[name]))
                                                      : std::string());
      }
      csv += "," + row(candidate.rung, score.seeds, score.reached, score.time_to_target_s,
                       score.best_test_accuracy, score.final_test_loss, score.broken,
                       std::uint64_t{chosen}, std::uint64_t{chosen && record.at_edge});
      csv.pop_back();  // the end of the line
      for (const Json& value : record.point) csv += "," + cell(shown_value(value));
      csv += "\n";
    }
  }
  return csv;
}

}  // namespace motley
