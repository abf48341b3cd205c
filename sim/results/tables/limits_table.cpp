#include "sim/results/tables/limits_table.hpp"

namespace motley {

std::optional<double> LimitRow::of_the_limit() const {
  if (!measured_samples_per_s) return std::nullopt;
  return *measured_samples_per_s / samples_per_s;
}

std::optional<double> LimitRow::of_theory() const {
  if (!theory || !time_to_target_s) return std::nullopt;
  return *time_to_target_s / theory->same.time_s;
}

const ColumnTable<LimitRow>& limits_table() {
  static const ColumnTable<LimitRow> table = [] {
    ColumnTable<LimitRow> t(
        "limits",
        "One row per algorithm and point of the sweep: what nothing on this cluster can exceed, "
        "what "
        "theory says of it, and how near the algorithm comes. Times of theory hold up to a "
        "constant, "
        "where messages are free and speeds are those of the cluster's description, which noise, "
        "changes and failures leave out.");
    const auto of_theory = [](auto figure) {
      return [figure](const LimitRow& row) -> std::optional<double> {
        return row.theory ? std::optional<double>(std::invoke(figure, *row.theory)) : std::nullopt;
      };
    };
    using Theory = LimitRow::Theory;
    t.add("algorithm", "", "label of the algorithm", &LimitRow::algorithm);
    t.add_axes([](const LimitRow& row) -> const std::vector<Json>& { return row.point; });
    t.add("gradients_per_s", "1/s",
          "limit: sum of 1/tau over the workers, tau the time of a gradient of this algorithm's "
          "batch "
          "size at the described speed; empty, like all that depends on tau, where the algorithm "
          "chose other batches than the scenario's (decisions.csv)",
          &LimitRow::gradients_per_s);
    t.add(
        "samples_per_s", "1/s",
        "limit: the same in samples; where the algorithm chose other batches, with each worker at "
        "the batch that is best for it, from 1 to the sum of the scenario's batches and no more "
        "than its max_batch",
        &LimitRow::samples_per_s);
    t.add("sync_updates_per_s", "1/s",
          "limit of a synchronous method with a gradient of every worker in each update: "
          "1/(largest tau)",
          &LimitRow::sync_updates_per_s);
    t.add("narrowest_link", "",
          "the link that takes longest for the bytes that the algorithm sent over it",
          &LimitRow::narrowest_link);
    t.add(
        "link_updates_per_s", "1/s",
        "limit: updates of as many bytes over that link as the algorithm's had, one after another",
        &LimitRow::link_updates_per_s);
    t.add("measured_samples_per_s", "1/s", "mean over the runs that did not fail",
          &LimitRow::measured_samples_per_s);
    t.add("measured_updates_per_s", "1/s", "the same of updates",
          &LimitRow::measured_updates_per_s);
    t.add("of_the_limit", "",
          "measured_samples_per_s divided by samples_per_s: \"of the limit\" in the table",
          &LimitRow::of_the_limit);
    t.add(
        "constants", "",
        "of theory: known (quadratic), or estimated at the initial model; empty where there is no "
        "target loss, or the algorithm chose other batches, and then there is no theory",
        [](const LimitRow& row) { return row.theory ? row.theory->constants : std::string(); });
    t.add("smoothness", "", "L", of_theory(&Theory::smoothness));
    t.add("gap", "", "D = f(x0) - min f; the minimum is taken to be 0", of_theory(&Theory::gap));
    t.add("variance", "", "s2, of a gradient of the algorithm's mean batch size",
          of_theory(&Theory::variance));
    t.add("epsilon", "",
          "squared norm of the gradient: 2 L times the target loss, which is above it by then",
          of_theory(&Theory::epsilon));
    t.add("theory_same_s", "s",
          "optimal time, up to a constant, where all workers have the same data: min over m of "
          "(1/m sum "
          "of the m fastest 1/tau)^-1 (L D/eps + s2 L D/(m eps^2)) (arXiv 2305.12387)",
          [](const LimitRow& row) -> std::optional<double> {
            return row.theory ? std::optional(row.theory->same.time_s) : std::nullopt;
          });
    t.add("theory_workers", "", "the minimising m: how many of the fastest workers are worth using",
          [](const LimitRow& row) -> std::optional<std::size_t> {
            return row.theory ? std::optional(row.theory->same.workers) : std::nullopt;
          });
    t.add("theory_different_s", "s",
          "the same where data differ: (largest tau) L D/eps + (mean tau) s2 L D/(W eps^2)",
          of_theory(&Theory::different_s));
    t.add("theory_sync_s", "s",
          "of synchronous SGD, in the same units: (largest tau) (L D/eps + s2 L D/(W eps^2))",
          of_theory(&Theory::sync_s));
    t.add("time_to_target_s", "s", "mean over the runs that reached it, as in summary.csv",
          &LimitRow::time_to_target_s);
    t.add("of_theory", "", "time_to_target_s divided by theory_same_s", &LimitRow::of_theory);
    return t;
  }();
  return table;
}

}  // namespace motley
