#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/statistics/tuning_score.hpp"
#include "sim/scenario/value_list.hpp"

/// Successive halving [Karnin, Koren, Somekh, ICML 2013; Jamieson, Talwalkar, AISTATS 2016] over
/// seeds: all candidates run on one seed, the better half on as many again as they have had, and so
/// on while the budget lasts. A fifth of the budget is kept for candidates beyond the grid, which
/// are added where the best one is at its edge. What is left in the end goes to the best two. The
/// whole budget is spent, to the last run, whatever comes out: all who choose take the same number.
namespace motley {

/// What there is to choose from.
struct TuningChoice {
  std::vector<ValueList> grids;
  /// A value of each grid, for every candidate; see first_candidates().
  std::vector<std::vector<Json>> candidates;
  std::size_t budget = 0;  ///< runs
  TuningGoal goal = TuningGoal::low_loss;
  /// Whether the values, beyond the grid, can be used.
  std::function<bool(const std::vector<Json>& values)> is_allowed;
  /// Whether there can be nothing beyond this value of the grid, which then is no edge.
  std::function<bool(std::size_t grid, const Json& value)> is_limit;
};

/// A candidate and how far it got.
struct TuningCandidate {
  std::vector<Json> values;
  std::size_t seeds = 0;  ///< it was given the first so many of the tuning seeds
  std::size_t rung = 0;   ///< the last it took part in, from 0
};

struct TuningState {
  /// A run of a candidate on a tuning seed.
  struct Trial {
    std::size_t candidate;
    std::size_t seed;
  };
  std::vector<TuningCandidate> candidates;  ///< the first ones, then those beyond the grid
  std::vector<Trial> missing;               ///< what must be known before it goes on
  std::optional<std::size_t> chosen;        ///< once nothing is missing
  bool at_edge = false;                     ///< the chosen one is at the end of a grid all the same
  std::size_t runs = 0;                     ///< so far, with those missing
};

/// The result of a candidate's run on a tuning seed; nullptr when it is not there yet.
using TrialResult =
    std::function<const RunResult*(const std::vector<Json>& values, std::size_t seed)>;

/// How far tuning is, a pure function of the results there are. Ties go to the candidate that comes
/// first.
TuningState successive_halving(const TuningChoice& choice, const TrialResult& result);

/// The candidates to begin with: the product of the grids, or an even sample of it when its first
/// rung would take more than half of what the budget leaves for rungs. Every value of every grid is
/// then there as often as any other, as near as it goes (a Latin hypercube).
std::vector<std::vector<Json>> first_candidates(const std::vector<ValueList>& grids,
                                                std::size_t budget, std::uint64_t seed);
/// How many the product has.
double product_size(const std::vector<ValueList>& grids);

}  // namespace motley
