#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/results/run_store.hpp"
#include "sim/study/tuning/successive_halving.hpp"

namespace motley {

/// An algorithm at a point of the sweep whose parameters are tuned, by itself.
struct TuningUnit {
  std::string label;  ///< of the algorithm
  std::size_t point = 0;
  std::size_t algorithm = 0;            ///< in the scenario's list
  std::vector<std::string> parameters;  ///< one for each grid
  TuningChoice choice;
  std::string identity;               ///< digest of all that decides the choice
  double cost = 0;                    ///< of one of its runs, as Study::cost()
  std::vector<std::size_t> reported;  ///< the runs that wait for the choice
  TuningState state;
  std::map<std::string, std::size_t> trials;  ///< the runs so far, by values and seed

  /// How many runs it takes: all of its budget, or none where there is nothing to choose.
  std::size_t budgeted_runs() const { return choice.candidates.size() > 1 ? choice.budget : 0; }
  Json with_names(const std::vector<Json>& values) const;
};

/// Of all of them together.
std::size_t tuning_runs_of(const std::vector<TuningUnit>& units);

/// What to know of the tuning before it begins, a line each, each after a line break: who tries only
/// a sample of its grid, and who is not tuned though others are.
std::string describe_tuning(const std::vector<TuningUnit>& units,
                            const std::vector<RunEntry>& runs);

}  // namespace motley
