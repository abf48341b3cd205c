#include "sim/results/link_use.hpp"

#include <algorithm>
#include <unordered_map>

namespace motley {
namespace {

/// Nothing fits through a link without bandwidth.
double used_share(double bytes, double bandwidth_Bps, double time_s) {
  return bandwidth_Bps > 0 ? bytes / (bandwidth_Bps * time_s) : 0;
}

}  // namespace

std::vector<LinkUse> link_uses(const RunResult& result) {
  const bool grouped = result.worker_count() > most_workers_link_by_link;
  const double time = result.virtual_s;
  std::vector<LinkUse> uses;
  std::unordered_map<std::string, std::size_t> row;
  for (const LinkResult& link : result.links) {
    const std::string group = link.group.empty() ? link.name : link.group;
    const std::string name = grouped ? group : link.name;
    const auto [index, is_new] = row.try_emplace(name, uses.size());
    if (is_new) uses.push_back({.name = name, .group = group});
    LinkUse* use = &uses[index->second];
    use->links += link.count;
    use->bandwidth_Bps += static_cast<double>(link.count) * link.bandwidth_Bps;
    use->bytes += link.bytes;
    use->background_bytes += link.background_bytes;
    if (time <= 0) continue;
    use->busy_share += link.busy_s / time;  // divided by their number below
    use->max_utilisation =
        std::max(use->max_utilisation, used_share(link.bytes, link.bandwidth_Bps, time));
  }
  for (LinkUse& use : uses) {
    use.busy_share /= static_cast<double>(use.links);
    if (time > 0) use.utilisation = used_share(use.bytes, use.bandwidth_Bps, time);
  }
  return uses;
}

}  // namespace motley
