#include "sim/results/statistics/bands.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "sim/base/json.hpp"

namespace motley {
namespace {

using Curve = std::vector<CurvePoint>;
using Along = double (*)(const CurvePoint&);

/// The evaluations of this kind, of the runs that did not fail and have any.
std::vector<Curve> curves_of(const ComparisonRow& row, EvaluatedModel kind) {
  std::vector<Curve> curves;
  for (const RunResult* run : row.runs) {
    if (run->status == RunStatus::failed) continue;
    Curve curve;
    std::ranges::copy_if(run->curve, std::back_inserter(curve),
                         [kind](const CurvePoint& point) { return point.kind == kind; });
    if (!curve.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::vector<double> places(const Curve& curve, Along along, double start, double end) {
  std::vector<double> values;
  for (const CurvePoint& point : curve) {
    if (along(point) >= start && along(point) <= end) values.push_back(along(point));
  }
  return values;
}

std::vector<double> grid_of(const std::vector<const Curve*>& curves, Along along) {
  constexpr int even_places = 100;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double start = -infinity;
  double end = infinity;
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
                                std::optional<double> CurvePoint::*member, Range range) {
  std::vector<double> values;
  for (const CurvePoint* point : points) {
    const std::optional<double>& value = point->*member;
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values.push_back(*value);
  }
  return mean_of(values, range);
}

void add_estimate(ColumnTable<BandRow>& t, const std::string& name, const std::string& what,
                  std::optional<Estimate> BandPoint::*member) {
  const auto end = [member](double Interval::*side) {
    return [member, side](const BandRow& r) -> std::optional<double> {
      const std::optional<Estimate>& estimate = r.point.*member;
      if (!estimate || !estimate->interval) return std::nullopt;
      return *estimate->interval.*side;
    };
  };
  t.add(name + "_mean", "", "mean " + what + " of the replicas",
        [member](const BandRow& r) -> std::optional<double> {
          const std::optional<Estimate>& estimate = r.point.*member;
          return estimate ? std::optional(estimate->value) : std::nullopt;
        });
  t.add(name + "_low", "", "lower end of its 95 % interval", end(&Interval::low));
  t.add(name + "_high", "", "upper end of its 95 % interval", end(&Interval::high));
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
    band.push_back({x, mean_at(here, &CurvePoint::test_accuracy, Range::share),
                    mean_at(here, &CurvePoint::test_loss, Range::positive)});
  }
  return band;
}

const ColumnTable<BandRow>& bands_table() {
  static const ColumnTable<BandRow> table = [] {
    ColumnTable<BandRow> t(
        "bands",
        "The learning curves of an algorithm's replicas as one: one row per algorithm, point of "
        "the sweep, quantity on the x axis, kind of model and place. Where all replicas were "
        "evaluated at the same "
        "places, these are the places; else a hundred even ones, at which the last evaluation "
        "counts. A band ends where the first replica ends.");
    t.add("algorithm", "", "label of the algorithm",
          [](const BandRow& r) { return r.algorithm.algorithm; });
    t.add_axes([](const BandRow& r) -> const std::vector<Json>& { return r.algorithm.point; });
    t.add("against", "", "what x is: time_s, epochs or updates",
          [](const BandRow& r) { return r.against; });
    t.add("oracle", "",
          "0: the models that existed, and nothing else; 1: what merges of the workers' own models "
          "would have given at other moments, a band of its own",
          [](const BandRow& r) { return r.kind == EvaluatedModel::oracle; });
    t.add("x", "", "the place, in the unit of that quantity",
          [](const BandRow& r) { return r.point.x; });
    t.add("n", "", "replicas", [](const BandRow& r) { return r.replicas; });
    add_estimate(t, "test_accuracy", "accuracy", &BandPoint::accuracy);
    add_estimate(t, "test_loss", "loss", &BandPoint::loss);
    return t;
  }();
  return table;
}

std::string bands_csv(const std::vector<std::string>& axes,
                      const std::vector<ComparisonRow>& rows) {
  std::string text = bands_table().header(axes);
  const std::vector<std::pair<const char*, Along>> against = {
      {"time_s", [](const CurvePoint& p) { return p.time_s; }},
      {"epochs", [](const CurvePoint& p) { return p.epochs; }},
      {"updates", [](const CurvePoint& p) { return static_cast<double>(p.updates); }}};
  for (const ComparisonRow& row : rows) {
    for (const EvaluatedModel kind : {EvaluatedModel::real, EvaluatedModel::oracle}) {
      const std::vector<Curve> curves = curves_of(row, kind);
      std::vector<const Curve*> all;
      for (const Curve& curve : curves) all.push_back(&curve);
      for (const auto& [name, along] : against) {
        for (const BandPoint& point : band_of(all, along)) {
          text += bands_table().line({row, name, kind, curves.size(), point});
        }
      }
    }
  }
  return text;
}

}  // namespace motley
