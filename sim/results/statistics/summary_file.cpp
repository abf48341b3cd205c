#include "sim/results/statistics/summary_file.hpp"

#include "sim/base/json.hpp"
#include "sim/results/csv_row.hpp"
#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

std::optional<double> value_of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::optional<double> low_of(const std::optional<Estimate>& estimate) {
  return estimate && estimate->interval ? std::optional(estimate->interval->low) : std::nullopt;
}

std::optional<double> high_of(const std::optional<Estimate>& estimate) {
  return estimate && estimate->interval ? std::optional(estimate->interval->high) : std::nullopt;
}

std::uint64_t count(std::size_t n) {
  return n;
}

}  // namespace

std::string summary_csv(const std::vector<std::string>& axes, const std::string& baseline,
                        const std::vector<ComparisonRow>& rows) {
  std::string text = "algorithm,";
  for (const std::string& axis : axes) text += cell(axis) + ",";
  text +=
      "n,reached,failed,diverged,time_to_target_mean_s,time_to_target_median_s,"
      "time_to_target_low_s,time_to_target_high_s,baseline,speedup,speedup_low,speedup_high,"
      "speedup_pairs,final_accuracy_mean,final_accuracy_low,final_accuracy_high,"
      "best_accuracy_mean,best_accuracy_low,best_accuracy_high,accuracy_at_25,accuracy_at_50,"
      "accuracy_at_75,accuracy_at_100,utilisation,bytes_to_target\n";
  for (const ComparisonRow& r : rows) {
    text += cell(r.algorithm) + ",";
    for (const Json& value : r.point) text += cell(shown_value(value)) + ",";
    text +=
        row(count(r.runs.size()), count(r.reached), count(r.failed), count(r.diverged),
            value_of(r.time_to_target_s), r.time_to_target_median_s, low_of(r.time_to_target_s),
            high_of(r.time_to_target_s), baseline, value_of(r.speedup), low_of(r.speedup),
            high_of(r.speedup), count(r.speedup_pairs), value_of(r.final_accuracy),
            low_of(r.final_accuracy), high_of(r.final_accuracy), value_of(r.best_accuracy),
            low_of(r.best_accuracy), high_of(r.best_accuracy), r.accuracy_at[0], r.accuracy_at[1],
            r.accuracy_at[2], r.accuracy_at[3], r.utilisation, r.bytes_to_target);
  }
  return text;
}

}  // namespace motley
