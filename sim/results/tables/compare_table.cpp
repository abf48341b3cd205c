#include "sim/results/tables/compare_table.hpp"

#include <cmath>

namespace motley {
namespace {

std::optional<double> error_of(double predicted, double measured) {
  if (predicted == measured) return 0;
  if (measured == 0) return std::nullopt;
  return predicted / measured - 1;
}

}  // namespace

std::optional<double> Prediction::target_error() const {
  if (!predicted.target_s || !measured.target_s) return std::nullopt;
  return error_of(*predicted.target_s, *measured.target_s);
}

std::optional<double> Prediction::staleness_error() const {
  return error_of(predicted.staleness, measured.staleness);
}

std::optional<double> Prediction::wait_error() const {
  if (measured.wait_share < little_wait) return std::nullopt;
  return error_of(predicted.wait_share, measured.wait_share);
}

std::optional<double> Prediction::bytes_error() const {
  return error_of(predicted.bytes_per_update, measured.bytes_per_update);
}

double Prediction::staleness_distance() const {
  std::map<std::uint64_t, double> differences = predicted.stale_shares;
  for (const auto& [value, share] : measured.stale_shares) differences[value] -= share;
  double sum = 0;
  for (const auto& [value, difference] : differences) sum += std::abs(difference);
  return sum / 2;
}

const ColumnTable<Prediction>& compare_table() {
  static const ColumnTable<Prediction> table = [] {
    ColumnTable<Prediction> t("compare",
                              "One row per algorithm, written by `motley compare` in the folder of "
                              "the live run: what was simulated and what was measured.");
    const auto of = [](RunFigures Prediction::*side, auto figure) {
      return [side, figure](const Prediction& row) { return std::invoke(figure, row.*side); };
    };
    const auto add = [&](const char* name, const char* unit, const char* doc, auto figure) {
      t.add(std::string("predicted_") + name, unit, std::string(doc) + ", simulated",
            of(&Prediction::predicted, figure));
      t.add(std::string("measured_") + name, unit, std::string(doc) + ", in the live run",
            of(&Prediction::measured, figure));
    };
    t.add("algorithm", "", "label of the algorithm", &Prediction::algorithm);
    add("runs", "", "number of runs that the figures are means of, but for times to the target",
        &RunFigures::runs);
    add("update_s", "s", "mean time per update", &RunFigures::update_s);
    t.add("update_error", "", "predicted_update_s / measured_update_s - 1: 0.1 is 10 % too long",
          &Prediction::update_error);
    t.add("update_chance", "",
          "how large an update_error may be by chance, as replicas vary: where the prediction is "
          "right it is below that in 95 % of cases; one run is taken to vary as those of the other "
          "side; empty where nothing is known",
          &Prediction::update_chance);
    add("target_s", "s",
        "mean time to target of the replicas that both folders have, empty unless all of them "
        "reached it in both",
        &RunFigures::target_s);
    t.add("target_error", "",
          "predicted_target_s / measured_target_s - 1; empty where one of them is",
          &Prediction::target_error);
    add("staleness", "updates", "mean staleness of the gradients that a server applied",
        &RunFigures::staleness);
    t.add("staleness_error", "",
          "predicted_staleness / measured_staleness - 1; 0 where both are 0, empty where only the "
          "measured one is",
          &Prediction::staleness_error);
    t.add("staleness_distance", "",
          "half the sum of the differences of how often each staleness was: 0 the same, 1 nothing "
          "in common",
          &Prediction::staleness_distance);
    add("wait_share", "", "share of the workers' time spent waiting", &RunFigures::wait_share);
    t.add("wait_error", "",
          "predicted_wait_share / measured_wait_share - 1; empty where the measured share is below "
          "0.05: wait_difference says more there",
          &Prediction::wait_error);
    t.add("wait_difference", "",
          "predicted_wait_share - measured_wait_share: 0.01 is one percentage point too much",
          &Prediction::wait_difference);
    add("bytes_per_update", "B", "bytes delivered per update", &RunFigures::bytes_per_update);
    t.add("bytes_error", "",
          "predicted_bytes_per_update / measured_bytes_per_update - 1; 0 where both are 0, empty "
          "where only the measured one is",
          &Prediction::bytes_error);
    return t;
  }();
  return table;
}

}  // namespace motley
