#include "sim/results/statistics/comparisons_file.hpp"

namespace motley {

const ColumnTable<ComparedPair>& comparisons_table() {
  static const ColumnTable<ComparedPair> table = [] {
    ColumnTable<ComparedPair> t(
        "comparisons",
        "One row per ordered pair of algorithms and point of the sweep: which of the two reaches "
        "the target sooner. Every comparison elsewhere is taken from here.");
    const auto end = [](double Interval::*member) {
      return [member](const ComparedPair& p) -> std::optional<double> {
        const std::optional<Estimate>& ratio = p.against.result.ratio;
        if (!ratio || !ratio->interval) return std::nullopt;
        return *ratio->interval.*member;
      };
    };
    t.add("algorithm", "", "label of the algorithm",
          [](const ComparedPair& p) { return p.row.algorithm; });
    t.add("against", "", "label of the other one",
          [](const ComparedPair& p) { return p.against.algorithm; });
    t.add_axes([](const ComparedPair& p) -> const std::vector<Json>& { return p.row.point; });
    t.add("pairs", "", "replicas of which both have a run that did not fail",
          [](const ComparedPair& p) { return p.against.result.pairs; });
    t.add(
        "ratio", "",
        "how many times sooner the algorithm reaches the target: geometric mean over the pairs of "
        "the other's time divided by its own, both cut where a run ended without reaching it; "
        "empty if neither ever does",
        [](const ComparedPair& p) -> std::optional<double> {
          const std::optional<Estimate>& ratio = p.against.result.ratio;
          return ratio ? std::optional(ratio->value) : std::nullopt;
        });
    t.add("ratio_low", "", "lower end of its 95 % interval (Student's t on the logarithms)",
          end(&Interval::low));
    t.add("ratio_high", "", "upper end of that interval", end(&Interval::high));
    t.add("bound", "",
          "empty: every run of a pair reached the target; at_least: only the other's runs did not, "
          "so the true ratio is at least this; at_most: only its own did not; mixed: either",
          [](const ComparedPair& p) { return to_text(p.against.result.bound); });
    t.add("later_by_s", "s", "mean of the other's time less its own, both cut",
          [](const ComparedPair& p) -> std::optional<double> {
            const PairedRatio& result = p.against.result;
            return result.ratio ? std::optional(result.later_by_s) : std::nullopt;
          });
    t.add("resolution_s", "s",
          "mean distance of the evaluations between which the later one arrived",
          [](const ComparedPair& p) -> std::optional<double> {
            const PairedRatio& result = p.against.result;
            return result.ratio ? std::optional(result.resolution_s) : std::nullopt;
          });
    t.add("within_resolution", "",
          "1: the times differ by less than that, so that the two might change places if "
          "evaluations were more frequent; 0: by more; empty without a ratio",
          [](const ComparedPair& p) -> std::optional<double> {
            const PairedRatio& result = p.against.result;
            if (!result.ratio) return std::nullopt;
            return result.is_within_resolution() ? 1.0 : 0.0;
          });
    t.add("p_value", "",
          "of equally fast algorithms: two-sided paired t-test on the logarithms, whose deviation "
          "counts as no smaller than the resolution of the times allows; at most 2/4^pairs if one "
          "algorithm reaches the target in every pair and the other in none",
          [](const ComparedPair& p) { return p.against.result.p_value; });
    t.add("p_holm", "", "the same after Holm's correction over all pairs at this point",
          [](const ComparedPair& p) { return p.against.result.p_holm; });
    t.add("verdict", "",
          "faster or slower if p_holm is below 0.05 and the times differ by more than their "
          "resolution, else undecided",
          [](const ComparedPair& p) { return to_text(p.against.result.verdict); });
    return t;
  }();
  return table;
}

std::string comparisons_csv(const std::vector<std::string>& axes,
                            const std::vector<ComparisonRow>& rows) {
  std::string text = comparisons_table().header(axes);
  for (const ComparisonRow& row : rows) {
    for (const ComparisonRow::Against& against : row.against) {
      text += comparisons_table().line({row, against});
    }
  }
  return text;
}

}  // namespace motley
