#include "sim/results/link_use.hpp"

#include <algorithm>
#include <cctype>

namespace motley {
namespace {

std::string without_numbers(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0)
      pattern += c;
    else if (pattern.empty() || pattern.back() != '*')
      pattern += '*';
  }
  return pattern;
}

}  // namespace

std::vector<LinkUse> link_uses(const RunResult& result) {
  const bool grouped = result.workers.size() > most_workers_link_by_link;
  const double time = result.virtual_s;
  std::vector<LinkUse> uses;
  for (const LinkResult& link : result.links) {
    const std::string name = grouped ? without_numbers(link.name) : link.name;
    auto use = std::find_if(uses.begin(), uses.end(),
                            [&name](const LinkUse& known) { return known.name == name; });
    if (use == uses.end()) use = uses.insert(uses.end(), LinkUse{.name = name});
    ++use->links;
    use->bandwidth_Bps += link.bandwidth_Bps;
    use->bytes += link.bytes;
    if (time <= 0) continue;
    use->busy_share += link.busy_s / time;  // divided by their number below
    use->max_utilisation = std::max(use->max_utilisation, link.bytes / (link.bandwidth_Bps * time));
  }
  for (LinkUse& use : uses) {
    use.busy_share /= static_cast<double>(use.links);
    if (time > 0) use.utilisation = use.bytes / (use.bandwidth_Bps * time);
  }
  return uses;
}

}  // namespace motley
