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
  std::string bound;                  ///< parameter that acts only at times; empty: none
  std::string acted;                  ///< the decision that shows, after the start, that it did
};

/// What a reader should know before trusting a run that ended well. Kinds: no_update, never_moved,
/// chance_level, in_warm_up, bound_idle (no decision shows that the bound acted, and nothing was discarded).
std::vector<RunWarning> warnings_of(const RunResult& result, const RunSetting& setting);

}  // namespace motley
