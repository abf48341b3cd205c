#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/run_result.hpp"

namespace motley {

/// Where runs stop by updates or epochs, those of one algorithm may all end before another one arrives: that
/// they did not reach the target says nothing then.
struct CutShort {
  double ended_s = 0;          ///< the last of its runs that did not arrive
  std::string before;          ///< an algorithm that first arrived later
  double first_arrival_s = 0;  ///< of that one
};

/// An algorithm at a point of the sweep.
using AtPoint = std::pair<std::string, std::string>;
AtPoint at_point_of(const RunResult& run);

/// Those that were cut short; of the runs that neither failed nor diverged.
std::map<AtPoint, CutShort> cut_short(const std::vector<RunResult>& runs);

}  // namespace motley
