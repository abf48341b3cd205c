#pragma once

#include <string>

#include "sim/results/statistics/comparison.hpp"

namespace motley {

/// Below a table in which no ratio is marked.
inline constexpr const char* one_replica_line = "  one replica: nothing is decided; see replicas\n";
/// What the mark of an edge means.
inline constexpr const char* edge_line =
    "  † tuned to the edge of its grid, or in vain, so that better may lie beyond; see tuned.csv\n";
/// In front of a ratio that the repetitions do not decide.
inline constexpr const char* undecided_mark = "~";
/// "~1.02x", "> 3.10x": what is undecided and what is a bound is marked as such. A bound is the end of the
/// interval that the data support, or "no bound" when that is beyond 100 or 1/100. Where there is but one
/// replica nothing is decided, which is said once and not at every ratio.
std::string marked_ratio(const PairedRatio& ratio, std::size_t replicas);

/// What the closing table says of one algorithm at one point of the sweep.
class SummaryRow {
 public:
  /// Behind a ratio of times that are cut on both sides.
  static constexpr const char* cut_mark = " (cut)";

  explicit SummaryRow(const ComparisonRow& row)
      : row_(row), versus_(row.versus_baseline()), repeated_(row.runs.size() > 1) {}

  /// For the upper end of an interval that goes beyond the end of the runs.
  static constexpr const char* open_mark = "open";

  /// Behind the name of an algorithm that was tuned to the edge of its grid; as in the figures.
  static constexpr const char* edge_mark = " †";

  /// The algorithm, marked where its tuning may not have found the best.
  std::string algorithm() const;
  /// "12.30 s [11.90, 12.71] (5/5)": the mean of those that reached the target, and how many did;
  /// "> 12.30 s (3/5)" where not all did.
  std::string time_to_target() const;
  /// "1.92x [1.85, 1.99]" against the baseline; "> 3.10x" where only the baseline did not arrive.
  std::string speedup() const;
  /// The status of most interest among the runs, or this if all are well.
  std::string status(const std::string& if_well = "ok") const;
  std::string final_accuracy() const;
  std::string final_loss() const;
  std::string updates() const;
  std::string mean_staleness() const;
  std::string utilisation() const;
  std::string bytes() const;
  std::string cost(bool to_target) const;
  std::string energy(bool to_target) const;

  bool is_undecided() const;
  bool is_bound() const;
  /// Whether the mean time is a bound, as some runs never arrived.
  bool is_late() const { return row_.reached > 0 && row_.reached < row_.runs.size(); }
  bool is_open() const;
  bool is_at_edge() const { return row_.runs.front()->tuned_at_edge.value_or(false); }
  bool is_cut() const { return versus_.ratio && versus_.bound == Bound::mixed; }

 private:
  template <class Figure>
  std::optional<double> mean(Figure figure) const;

  const ComparisonRow& row_;
  PairedRatio versus_;
  bool repeated_;
};

}  // namespace motley
