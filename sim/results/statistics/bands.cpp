#include "sim/results/statistics/bands.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"
#include "sim/results/csv_row.hpp"
#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

using Curve = std::vector<CurvePoint>;
using Along = double (*)(const CurvePoint&);

std::vector<double> places(const Curve& curve, Along along, double start, double end) {
  std::vector<double> values;
  for (const CurvePoint& point : curve) {
    if (along(point) >= start && along(point) <= end) values.push_back(along(point));
  }
  return values;
}

std::vector<double> grid_of(const std::vector<const Curve*>& curves, Along along) {
  constexpr int even_places = 100;
  double start = -INFINITY;
  double end = INFINITY;
  for (const Curve* curve : curves) {
    start = std::max(start, along(curve->front()));
    end = std::min(end, along(curve->back()));
  }
  std::vector<double> grid = places(*curves.front(), along, start, end);
  const bool together = std::all_of(curves.begin(), curves.end(), [&](const Curve* curve) {
    return places(*curve, along, start, end) == grid;
  });
  if (together) return grid;
  grid.clear();
  for (int i = 0; i < even_places - 1; ++i) {
    grid.push_back(start + (end - start) * i / (even_places - 1));
  }
  grid.push_back(end);  // itself, and not what it rounds to
  return grid;
}

/// Empty unless all of them have a finite value.
std::optional<Estimate> mean_at(const std::vector<const CurvePoint*>& points,
                                std::optional<double> CurvePoint::*member) {
  std::vector<double> values;
  for (const CurvePoint* point : points) {
    const std::optional<double>& value = point->*member;
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values.push_back(*value);
  }
  return mean_of(values);
}

std::string three_cells(const std::optional<Estimate>& e) {
  const bool sure = e && e->interval;
  return cell(e ? std::optional(e->value) : std::nullopt) + "," +
         cell(sure ? std::optional(e->interval->low) : std::nullopt) + "," +
         cell(sure ? std::optional(e->interval->high) : std::nullopt);
}

}  // namespace

std::vector<BandPoint> band_of(const std::vector<const Curve*>& curves, Along along) {
  std::vector<BandPoint> band;
  if (curves.empty()) return band;
  std::vector<std::size_t> last(curves.size(), 0);  // of each curve: the evaluation in force
  for (const double x : grid_of(curves, along)) {
    std::vector<const CurvePoint*> here;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const Curve& curve = *curves[i];
      while (last[i] + 1 < curve.size() && along(curve[last[i] + 1]) <= x) ++last[i];
      here.push_back(&curve[last[i]]);
    }
    band.push_back(
        {x, mean_at(here, &CurvePoint::test_accuracy), mean_at(here, &CurvePoint::test_loss)});
  }
  return band;
}

std::string bands_csv(const std::vector<std::string>& axes,
                      const std::vector<ComparisonRow>& rows) {
  std::string text = "algorithm,";
  for (const std::string& axis : axes) text += cell(axis) + ",";
  text +=
      "against,x,n,test_accuracy_mean,test_accuracy_low,test_accuracy_high,test_loss_mean,"
      "test_loss_low,test_loss_high\n";
  const std::vector<std::pair<const char*, Along>> against = {
      {"time_s", [](const CurvePoint& p) { return p.time_s; }},
      {"epochs", [](const CurvePoint& p) { return p.epochs; }},
      {"updates", [](const CurvePoint& p) { return static_cast<double>(p.updates); }}};
  for (const ComparisonRow& row : rows) {
    std::string head = cell(row.algorithm) + ",";
    for (const Json& value : row.point) head += cell(shown_value(value)) + ",";
    std::vector<const Curve*> curves;
    for (const RunResult* run : row.runs) {
      if (run->status != "failed" && !run->curve.empty()) curves.push_back(&run->curve);
    }
    for (const auto& [name, along] : against) {
      for (const BandPoint& point : band_of(curves, along)) {
        text += head + name + "," + cell(point.x) + "," + std::to_string(curves.size()) + "," +
                three_cells(point.accuracy) + "," + three_cells(point.loss) + "\n";
      }
    }
  }
  return text;
}

}  // namespace motley
