#include "sim/cli/tables/summary_row.hpp"

#include <array>
#include <cmath>

#include "sim/base/format.hpp"

namespace motley {
namespace {

/// " [low, high]", or nothing.
std::string shown(const std::optional<Interval>& interval, int digits) {
  if (!interval) return "";
  return " [" + fixed(interval->low, digits) + ", " + fixed(interval->high, digits) + "]";
}

std::string shown(const std::optional<Estimate>& estimate, int digits) {
  return estimate ? fixed(estimate->value, digits) + shown(estimate->interval, digits) : "-";
}

std::string energy_amount(double joules) {
  constexpr double joules_per_kWh = 3.6e6;
  if (joules < 1e3) return significant(joules, 3) + " J";
  if (joules < joules_per_kWh) return significant(joules / 1e3, 3) + " kJ";
  double amount = joules / joules_per_kWh;
  std::size_t unit = 0;
  constexpr std::array<const char*, 3> units = {" kWh", " MWh", " GWh"};
  for (; amount >= 1e3 && unit + 1 < units.size(); ++unit) amount /= 1e3;
  return significant(amount, 3) + units[unit];
}

}  // namespace

std::string marked_ratio(const PairedRatio& ratio, std::size_t replicas) {
  if (!ratio.ratio) return "-";
  const char* bound = ratio.bound == Bound::at_least  ? "> "
                      : ratio.bound == Bound::at_most ? "< "
                                                      : "";
  const bool is_undecided = replicas > 1 && ratio.verdict == Verdict::undecided;
  const std::string mark = is_undecided ? undecided_mark : "";
  const double value = ratio.supported();
  // A bound from few pairs may be so wide that it says nothing.
  constexpr double widest = 100;
  if (*bound != '\0' && !(value <= widest && value >= 1 / widest)) return mark + "no bound";
  return mark + bound + fixed(value, 2) + "x";
}

template <class Figure>
std::optional<double> SummaryRow::mean(Figure figure) const {
  std::vector<double> values;
  for (const RunResult* run : row_.runs) {
    if (run->status != RunStatus::failed) values.push_back(static_cast<double>(figure(*run)));
  }
  const std::optional<Estimate> estimate = mean_of(values);
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::string SummaryRow::algorithm() const {
  return row_.algorithm + (is_at_edge() ? edge_mark : "");
}

std::string SummaryRow::time_to_target() const {
  const std::string count =
      repeated_ ? " (" + std::to_string(row_.reached) + "/" + std::to_string(row_.runs.size()) + ")"
                : "";
  if (!row_.time_to_target_s && row_.cut_short_s && row_.failed + row_.diverged == 0) {
    return "cut at " + seconds(*row_.cut_short_s) + count;
  }
  if (!row_.time_to_target_s) return (repeated_ ? "not reached" : status("not reached")) + count;
  const double mean_s = row_.time_to_target_s->value;
  const std::optional<Interval>& interval = row_.time_to_target_s->interval;
  return (is_late() ? "> " : "") + seconds(mean_s) +
         (interval ? " [" + seconds_like(interval->low, mean_s) + ", " +
                         (is_open() ? open_mark : seconds_like(interval->high, mean_s)) + "]"
                   : "") +
         count;
}

bool SummaryRow::is_open() const {
  return row_.time_to_target_s && row_.time_to_target_s->interval &&
         std::isinf(row_.time_to_target_s->interval->high);
}

bool SummaryRow::is_undecided() const {
  return row_.replicas > 1 && row_.algorithm != row_.baseline && versus_.ratio &&
         versus_.verdict == Verdict::undecided;
}

bool SummaryRow::is_bound() const {
  return versus_.bound == Bound::at_least || versus_.bound == Bound::at_most;
}

std::string SummaryRow::speedup() const {
  if (!versus_.ratio) return "-";
  if (row_.algorithm == row_.baseline) return fixed(versus_.ratio->value, 2) + "x";
  std::string text = marked_ratio(versus_, row_.replicas);
  if (!is_bound()) text += shown(versus_.ratio->interval, 2);
  if (versus_.pairs < row_.runs.size()) text += " (" + counted(versus_.pairs, "pair") + ")";
  return text + (is_cut() ? cut_mark : "");
}

std::string SummaryRow::status(const std::string& if_well) const {
  const std::string count = repeated_ ? " of " + std::to_string(row_.runs.size()) : "";
  const auto some = [&](std::size_t n, const char* what) {
    return (repeated_ ? std::to_string(n) + count + " " : "") + what;
  };
  if (row_.failed > 0) return some(row_.failed, "failed");
  if (row_.diverged > 0) return some(row_.diverged, "diverged");
  return if_well;
}

std::string SummaryRow::final_accuracy() const {
  return shown(row_.final_accuracy, 4);
}

std::string SummaryRow::final_loss() const {
  return shown(row_.final_loss, 6);
}

std::string SummaryRow::updates() const {
  const std::optional<double> updates = mean([](const RunResult& r) { return r.updates; });
  return updates ? fixed(*updates, 0) : "-";
}

std::string SummaryRow::mean_staleness() const {
  const std::optional<double> staleness = mean([](const RunResult& r) { return r.mean_staleness; });
  return staleness ? fixed(*staleness, 2) : "-";
}

std::string SummaryRow::utilisation() const {
  return row_.utilisation ? percent(*row_.utilisation) : "-";
}

std::string SummaryRow::bytes() const {
  const std::optional<double> bytes = mean([](const RunResult& r) { return r.bytes; });
  return bytes ? data_size(*bytes) : "-";
}

std::string SummaryRow::cost(bool to_target) const {
  const std::optional<Estimate>& cost = to_target ? row_.cost_to_target : row_.cost;
  return cost ? significant(cost->value, 3) : "-";
}

std::string SummaryRow::energy(bool to_target) const {
  const std::optional<Estimate>& energy_J = to_target ? row_.energy_to_target_J : row_.energy_J;
  return energy_J ? energy_amount(energy_J->value) : "-";
}

}  // namespace motley
