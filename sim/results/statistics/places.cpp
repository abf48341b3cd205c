#include "sim/results/statistics/places.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace motley {
namespace {

/// What comes before is smaller.
std::tuple<double, double, double, double> order_of(const ComparisonRow& row) {
  constexpr double last = std::numeric_limits<double>::infinity();
  const double share = static_cast<double>(row.reached) / static_cast<double>(row.runs.size());
  return {-share, row.time_to_target_s ? row.time_to_target_s->value : last,
          row.final_accuracy ? -row.final_accuracy->value : last,
          row.final_loss ? row.final_loss->value : last};
}

/// Empty when there is nobody behind it with whom it can be compared.
std::optional<bool> is_decided(const ComparisonRow& row,
                               const std::vector<ComparisonRow*>& behind) {
  std::optional<bool> decided;
  for (const ComparisonRow* other : behind) {
    const PairedRatio* result = row.result_against(other->algorithm);
    if (result == nullptr || result->pairs == 0) continue;
    if (!result->ratio && row.reached == 0) continue;
    decided = decided.value_or(true) && result->verdict == Verdict::faster;
  }
  return decided;
}

}  // namespace

void set_places(std::vector<ComparisonRow*> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ComparisonRow* a, const ComparisonRow* b) {
    return order_of(*a) < order_of(*b);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]->place = i + 1;
    rows[i]->decided =
        is_decided(*rows[i], {rows.begin() + static_cast<std::ptrdiff_t>(i) + 1, rows.end()});
  }
}

}  // namespace motley
