#include "sim/cli/tables/limit_lines.hpp"

#include <algorithm>
#include <ostream>

#include "sim/base/format.hpp"

namespace motley {
namespace {

/// Of the same batch sizes, as far as these numbers tell.
bool are_alike(const LimitRow& a, const LimitRow& b) {
  return a.gradients_per_s == b.gradients_per_s && a.sync_updates_per_s == b.sync_updates_per_s;
}

std::string whose(const std::vector<LimitRow>& rows, const LimitRow& shown) {
  const bool all_alike =
      std::ranges::all_of(rows, [&](const LimitRow& row) { return are_alike(row, shown); });
  return all_alike ? "" : ", with the batches of " + shown.algorithm;
}

void print_theory(std::ostream& out, const std::vector<LimitRow>& rows, const LimitRow& shown,
                  std::size_t workers) {
  const LimitRow::Theory& theory = *shown.theory;
  out << "  theory's optimal time" << whose(rows, shown)
      << ", up to a constant and with free messages: " << seconds(theory.same.time_s) << " by the "
      << (theory.same.workers == workers ? std::to_string(workers) + " workers"
                                         : std::to_string(theory.same.workers) + " fastest of " +
                                               std::to_string(workers) + " workers")
      << "; " << seconds(theory.different_s) << " if their data differ, " << seconds(theory.sync_s)
      << " synchronously (L, D, s2 "
      << (theory.constants == "known" ? "are known"
                                      : "are estimates at the start; only the shape counts")
      << ")\n";
  std::vector<const LimitRow*> arrived;
  for (const LimitRow& row : rows) {
    if (row.of_theory()) arrived.push_back(&row);
  }
  if (arrived.empty()) return;
  std::ranges::stable_sort(arrived, {}, [](const LimitRow* row) { return *row->of_theory(); });
  out << "  time to target over that of theory:";
  for (const LimitRow* row : arrived) {
    out << (row == arrived.front() ? " " : ", ") << row->algorithm << " "
        << significant(*row->of_theory(), 3);
  }
  out << "\n";
}

}  // namespace

void print_limits(std::ostream& out, const std::vector<LimitRow>& rows, std::size_t workers) {
  const auto shown = std::ranges::find_if(
      rows, [](const LimitRow& row) { return row.gradients_per_s.has_value(); });
  if (shown == rows.end()) return;
  out << "\nLimits of the cluster (limits.csv)\n  at most "
      << significant(*shown->gradients_per_s, 3) << " gradients/s by all workers, "
      << significant(*shown->sync_updates_per_s, 3) << " updates/s with one of each"
      << whose(rows, *shown) << "\n";
  if (shown->theory) print_theory(out, rows, *shown, workers);
}

}  // namespace motley
