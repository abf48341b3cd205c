#pragma once

#include <string>
#include <vector>

#include "sim/results/run_result.hpp"

namespace motley {

/// A row of links.csv: one link, or in a large cluster all links of a group.
struct LinkUse {
  std::string name;   ///< of the link, or of the group: gpu-*_up
  std::string group;  ///< of a link that is alone, its name
  std::uint64_t links = 0;
  double bandwidth_Bps = 0;  ///< of all of them together, as are the bytes
  double bytes = 0;
  double busy_share = 0;   ///< of the run's time, mean over the links
  double utilisation = 0;  ///< bytes / (bandwidth * time)
  double max_utilisation = 0;
  double background_bytes = 0;  ///< of others, not in `bytes`
};

/// With more workers than this, links are grouped.
inline constexpr std::size_t most_workers_link_by_link = 64;

std::vector<LinkUse> link_uses(const RunResult& result);

}  // namespace motley
