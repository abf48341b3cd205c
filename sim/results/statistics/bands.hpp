#pragma once

#include <string>
#include <vector>

#include "sim/results/statistics/comparison.hpp"
#include "sim/results/tables/column_table.hpp"

namespace motley {

/// What the curves of several replicas are at one place.
struct BandPoint {
  double x = 0;
  std::optional<Estimate> accuracy;  ///< empty where a replica has none
  std::optional<Estimate> loss;
};

/// The curves of replicas as one, along a member of CurvePoint. Where all were evaluated at the
/// same places, these are the places; else a hundred even ones, and a curve is flat between its
/// evaluations: the last one is what is known. It ends where the first replica ends, so that it
/// never is the mean of those that happened to last.
std::vector<BandPoint> band_of(const std::vector<const std::vector<CurvePoint>*>& curves,
                               double (*along)(const CurvePoint&));

/// A row of bands.csv.
struct BandRow {
  const ComparisonRow& algorithm;
  const char* against;
  EvaluatedModel kind;
  std::size_t replicas;
  const BandPoint& point;
};

const ColumnTable<BandRow>& bands_table();

/// The text of bands.csv: of each algorithm at each point of the sweep, against time, epochs and
/// updates; of the models that existed, and then, where there are any, of what merges would have given
/// (EvaluatedModel::oracle). Runs that failed have no part in it.
std::string bands_csv(const std::vector<std::string>& axes, const std::vector<ComparisonRow>& rows);

}  // namespace motley
