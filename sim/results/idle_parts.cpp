#include "sim/results/idle_parts.hpp"

#include <algorithm>
#include <cmath>

namespace motley {
namespace {

struct IdleClass {
  std::uint64_t count = 0;
  double speeds_flops = 0;  // added up, as are the samples
  double data_samples = 0;
};

}  // namespace

void add_idle_classes(RunResult& result, const ClusterPlan& cluster,
                      std::span<const std::size_t> listed,
                      const std::function<std::uint64_t(std::size_t rank)>& samples_of) {
  std::map<std::string, IdleClass> classes;
  auto next = listed.begin();
  for (std::size_t rank = 0; rank < cluster.workers.size(); ++rank) {
    if (next != listed.end() && *next == rank) {
      ++next;
      continue;
    }
    const HostPlan& host = cluster.workers[rank];
    IdleClass& idle = classes[host.class_name];
    ++idle.count;
    idle.speeds_flops += host.speed_flops;
    idle.data_samples += static_cast<double>(samples_of(rank));
  }
  for (const auto& [name, idle] : classes) {
    const auto count = static_cast<double>(idle.count);
    result.workers.push_back(
        {.name = name + "-*",
         .class_name = name,
         .speed_flops = idle.speeds_flops / count,
         .wait_s = result.virtual_s,
         .data_samples = static_cast<std::uint64_t>(std::llround(idle.data_samples / count)),
         .count = idle.count});
  }
}

void LinkList::add(LinkResult link) {
  const bool is_idle = link.bytes == 0 && link.busy_s == 0 && link.background_bytes == 0;
  if (is_large_ && is_idle && !link.group.empty())
    ++idle_[{link.group, link.bandwidth_Bps}];
  else
    links_.push_back(std::move(link));
}

std::vector<LinkResult> LinkList::sorted() && {
  for (const auto& [kind, count] : idle_) {
    const auto& [group, bandwidth_Bps] = kind;
    links_.push_back(
        {.name = group, .bandwidth_Bps = bandwidth_Bps, .group = group, .count = count});
  }
  std::ranges::stable_sort(links_, [](const LinkResult& a, const LinkResult& b) {
    return natural_less(a.name, b.name);
  });
  return std::move(links_);
}

}  // namespace motley
