#include "sim/cli/tables/winners.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/cli/tables/summary_row.hpp"
#include "sim/cli/tables/text_table.hpp"
#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

/// The best of a point and the next.
struct Winner {
  const ComparisonRow* first = nullptr;  ///< nullptr: nobody reached the target, or all are broken
  const ComparisonRow* second = nullptr;
  const std::vector<Json>* point = nullptr;

  /// How the first does against the second; nullptr where no times to a target are compared.
  const PairedRatio* ahead() const {
    return first == nullptr || second == nullptr ? nullptr
                                                 : first->result_against(second->algorithm);
  }
  /// Whether one of the two may not be at its best.
  bool is_at_edge() const {
    return (first != nullptr && SummaryRow(*first).is_at_edge()) ||
           (second != nullptr && SummaryRow(*second).is_at_edge());
  }
  bool is_decided() const { return first != nullptr && first->decided.value_or(false); }
};

Winner winner_of(const std::vector<const ComparisonRow*>& here, bool has_target,
                 bool has_accuracy) {
  Winner winner;
  winner.point = &here.front()->point;
  const bool is_there = has_target     ? here.front()->reached > 0
                        : has_accuracy ? here.front()->final_accuracy.has_value()
                                       : here.front()->final_loss.has_value();
  if (is_there) winner.first = here.front();
  if (is_there && here.size() > 1) winner.second = here[1];
  return winner;
}

std::vector<Winner> winners_of(const std::vector<const ComparisonRow*>& rows, bool has_target,
                               bool has_accuracy) {
  std::vector<Winner> winners;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(
        begin, rows.end(), [&](const ComparisonRow* row) { return row->point != (*begin)->point; });
    winners.push_back(winner_of({begin, end}, has_target, has_accuracy));
    begin = end;
  }
  return winners;
}

TextRow row_of(const Winner& winner, bool has_target, bool has_accuracy) {
  TextRow row;
  for (const Json& value : *winner.point) row.push_back(shown_value(value));
  const auto figure = [&](const ComparisonRow& r) {
    const SummaryRow cells(r);
    return has_target     ? cells.time_to_target()
           : has_accuracy ? cells.final_accuracy()
                          : cells.final_loss();
  };
  const bool is_there = winner.first != nullptr;
  row.push_back(is_there ? SummaryRow(*winner.first).algorithm() : has_target ? "none" : "-");
  row.push_back(is_there ? figure(*winner.first) : "-");
  row.push_back(winner.second != nullptr ? SummaryRow(*winner.second).algorithm() : "-");
  if (!has_target) {
    row.push_back(winner.second != nullptr ? figure(*winner.second) : "-");
    return row;
  }
  const PairedRatio* ahead = winner.ahead();
  row.push_back(ahead != nullptr ? marked_ratio(*ahead, winner.first->replicas) : "-");
  row.push_back(!is_there ? "-" : winner.is_decided() ? "yes" : "no");
  return row;
}

TextRow header_of(const std::vector<std::string>& axis_names, bool has_target, bool has_accuracy) {
  TextRow header = axis_names;
  const char* figure = has_target     ? "time to target"
                       : has_accuracy ? "final accuracy"
                                      : "final loss";
  header.insert(header.end(), {"first", figure, "second"});
  if (has_target)
    header.insert(header.end(), {"first vs second", "decided"});
  else
    header.push_back(figure);
  return header;
}

/// "async at 31 of 60 points (28 decided), sync at 29 (20 decided)".
std::string tally(const std::vector<Winner>& winners, bool has_target) {
  struct Count {
    std::string algorithm;
    std::size_t points = 0;
    std::size_t decided = 0;
  };
  std::vector<Count> counts;
  for (const Winner& winner : winners) {
    const std::string name = winner.first != nullptr ? winner.first->algorithm : "none";
    auto count = std::ranges::find(counts, name, &Count::algorithm);
    if (count == counts.end()) count = counts.insert(counts.end(), {name});
    ++count->points;
    count->decided += winner.is_decided() ? 1 : 0;
  }
  std::ranges::stable_sort(counts, std::greater<>(), &Count::points);
  std::vector<std::string> parts;
  for (const Count& count : counts) {
    parts.push_back(count.algorithm + " at " + std::to_string(count.points) +
                    (parts.empty() ? " of " + counted(winners.size(), "point") : "") +
                    (has_target && count.algorithm != "none"
                         ? " (" + std::to_string(count.decided) + " decided)"
                         : ""));
  }
  return listed(parts);
}

}  // namespace

void print_winners(std::ostream& out, const std::vector<const ComparisonRow*>& rows,
                   const std::vector<std::string>& axis_names, bool has_target, bool has_accuracy) {
  const std::vector<Winner> winners = winners_of(rows, has_target, has_accuracy);
  if (winners.size() <= screenful) {
    std::vector<TextRow> table = {header_of(axis_names, has_target, has_accuracy)};
    for (const Winner& winner : winners) {
      table.push_back(row_of(winner, has_target, has_accuracy));
    }
    print_table(out, table);
    out << "\n";
    if (std::ranges::any_of(winners, &Winner::is_at_edge)) out << edge_line;
  }
  out << "  first: " << tally(winners, has_target) << "\n";
  if (has_target && rows.front()->replicas == 1) {
    out << one_replica_line;
  } else if (has_target) {
    out << "  decided: faster than every other algorithm of the point, after correction for the "
           "number of pairs; "
        << undecided_mark << " undecided against the second\n";
  }
  out << "  all " << rows.size() << " rows: summary.csv; every pair: comparisons.csv; figures: "
      << "motley report\n";
}

}  // namespace motley
