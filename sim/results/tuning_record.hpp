#pragma once

#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/strict_json.hpp"

namespace motley {

/// One set of values that was tried for an algorithm's parameters.
struct CandidateRecord {
  Json values;  ///< by parameter
  std::size_t rung = 0;
  std::vector<std::string> hashes;  ///< of its runs, by tuning seed
};

/// How the parameters of an algorithm were chosen at a point of the sweep, as far as it is known.
struct TuningRecord {
  std::string label;                    ///< of the algorithm
  std::vector<Json> point;              ///< the values of the sweep's axes
  std::vector<std::string> parameters;  ///< those that are tuned
  std::string identity;                 ///< digest of all that decides the choice
  std::vector<CandidateRecord> candidates = {};
  std::int64_t chosen = -1;  ///< index of a candidate; -1: not yet
  std::size_t grid = 0;      ///< how many there are to choose from
  std::size_t tried = 0;     ///< how many of those: all, or a sample where runs were too few
  bool at_edge = false;      ///< the chosen one is at the end of a grid that could not be extended

  std::size_t runs() const;
  bool is_sampled() const { return tried < grid; }
  /// "step_size 0.1, staleness 4"; empty when nothing is chosen yet.
  std::string chosen_text() const;
};

Json to_json(const TuningRecord& record);
/// InputError when it is not what to_json() makes.
TuningRecord tuning_record_from_json(const StrictJson& json, std::size_t axes);

}  // namespace motley
