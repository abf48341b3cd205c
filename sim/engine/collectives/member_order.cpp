#include "sim/engine/collectives/member_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include <simgrid/s4u.hpp>

#include "sim/engine/platform/platform.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

using Way = std::vector<s4u::Link*>;

Way way_between(const Platform& platform, std::size_t from, std::size_t to) {
  Way links;
  double latency = 0;
  platform.host(from)->route_to(platform.host(to), links, &latency);
  return links;
}

/// The ways from one node to the others, which part where their links differ.
class TreeOfWays {
 public:
  TreeOfWays() : branches_(1) {}

  void add(std::size_t node, const Way& way) {
    std::size_t branch = 0;
    for (const s4u::Link* link : way) {
      const auto [next, is_new] = next_.try_emplace({branch, link}, branches_.size());
      if (is_new) {
        branches_[branch].push_back({.branch = next->second});
        branches_.emplace_back();
      }
      branch = next->second;
    }
    branches_[branch].push_back({.node = node});
  }

  /// The nodes, branch by branch.
  std::vector<std::size_t> nodes() {
    std::vector<std::size_t> found;
    measure(0);
    collect(0, found);
    return found;
  }

 private:
  struct Entry {
    std::size_t branch = 0;  // 0: a node that is here
    std::size_t node = 0;
    std::size_t longest = 0;  // way from here
  };

  std::size_t measure(std::size_t branch) {
    std::size_t longest = 0;
    for (Entry& entry : branches_[branch]) {
      if (entry.branch != 0) entry.longest = 1 + measure(entry.branch);
      longest = std::max(longest, entry.longest);
    }
    return longest;
  }

  void collect(std::size_t branch, std::vector<std::size_t>& found) {
    std::vector<Entry>& entries = branches_[branch];
    std::ranges::stable_sort(entries, {}, &Entry::longest);
    for (const Entry& entry : entries) {
      if (entry.branch != 0)
        collect(entry.branch, found);
      else
        found.push_back(entry.node);
    }
  }

  std::vector<std::vector<Entry>> branches_;
  std::map<std::pair<std::size_t, const s4u::Link*>, std::size_t> next_;  // looked up, never listed
};

/// How many times two messages of a step meet on a link when the ring is in this order.
std::size_t meetings(const Platform& platform, const std::vector<std::size_t>& ranks,
                     const std::vector<std::size_t>& order) {
  std::unordered_map<const s4u::Link*, std::size_t> crossed;
  std::size_t met = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t right = order[(i + 1) % order.size()];
    for (const s4u::Link* link : way_between(platform, ranks[order[i]], ranks[right])) {
      met += crossed[link]++;
    }
  }
  return met;
}

}  // namespace

std::vector<std::size_t> near_order(const Platform& platform, const std::vector<std::size_t>& ranks,
                                    const std::vector<std::size_t>& nodes) {
  std::vector<std::size_t> given(ranks.size());
  std::iota(given.begin(), given.end(), std::size_t{0});
  if (platform.is_plain_switch() || ranks.size() <= 2) return given;

  std::vector<std::vector<std::size_t>> members;       // of each node
  std::unordered_map<std::size_t, std::size_t> index;  // of a node's number
  for (const std::size_t member : given) {
    const auto [node, is_new] = index.try_emplace(nodes[member], members.size());
    if (is_new) members.emplace_back();
    members[node->second].push_back(member);
  }
  TreeOfWays ways;
  ways.add(0, {});
  for (std::size_t node = 1; node < members.size(); ++node) {
    ways.add(node, way_between(platform, ranks[0], ranks[members[node].front()]));
  }
  std::vector<std::size_t> near;
  for (const std::size_t node : ways.nodes()) {
    near.insert(near.end(), members[node].begin(), members[node].end());
  }
  if (near != given && meetings(platform, ranks, given) < meetings(platform, ranks, near)) {
    return given;
  }
  return near;
}

}  // namespace motley
