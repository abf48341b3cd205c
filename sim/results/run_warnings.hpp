#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/results/run_result.hpp"

namespace motley {

/// What a run's result alone does not tell.
struct RunSetting {
  std::size_t classes = 0;            ///< of the data; 0 without classes
  std::uint64_t warm_up_updates = 0;  ///< in which the algorithm does not yet do what it is about
  std::string bound;                  ///< parameter that bounds staleness; empty: none
};

/// The decision by which an algorithm says, once per run, that a bound made a worker wait.
inline constexpr const char* held_back = "held_back";

/// What a reader should know before trusting a run that ended well. Kinds: no_update, never_moved,
/// chance_level, in_warm_up, bound_idle (nobody was held back by the bound, and nothing discarded).
std::vector<RunWarning> warnings_of(const RunResult& result, const RunSetting& setting);

}  // namespace motley
