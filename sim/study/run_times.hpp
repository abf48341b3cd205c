#pragma once

#include <map>
#include <string>

#include "sim/study/stored_results.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// How long runs of a study take on this machine: what those that are done took, for each algorithm;
/// where none is done, what its first moments tell (see pilot_seconds()). In between by the expected
/// cost.
class RunTimes {
 public:
  RunTimes(const Study& study, StoredResults& stored) : study_(study), stored_(stored) {}

  /// Of one job with one thread, at most.
  double seconds(std::size_t run);
  /// Of a run of a unit's tuning.
  double seconds_of_trial(std::size_t unit);

 private:
  /// Seconds for each unit of Study::cost() of the algorithm that this run belongs to.
  double pace_of(std::size_t run);

  const Study& study_;
  StoredResults& stored_;
  std::map<std::string, double> pace_;  // by label
};

}  // namespace motley
