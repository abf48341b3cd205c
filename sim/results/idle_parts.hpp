#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/run_result.hpp"
#include "sim/scenario/cluster_plan.hpp"

/// What is told of the parts of a large cluster to which nothing has happened: one row for all of a kind.
namespace motley {

/// With more workers than this, those that never took part are not listed one by one.
inline constexpr std::size_t most_workers_listed = 10000;

/// Adds a row for each class with workers that are not among those `listed` (ranks, ascending): gpu-*,
/// with their number, mean speed and mean number of samples. They have only waited.
void add_idle_classes(RunResult& result, const ClusterPlan& cluster,
                      std::span<const std::size_t> listed,
                      const std::function<std::uint64_t(std::size_t rank)>& samples_of);

/// The links of a run, sorted by name. In a large cluster those of one group and bandwidth that carried
/// nothing are one.
class LinkList {
 public:
  explicit LinkList(std::size_t workers) : is_large_(workers > most_workers_listed) {}

  void add(LinkResult link);
  std::vector<LinkResult> sorted() &&;

 private:
  bool is_large_;
  std::vector<LinkResult> links_;
  std::map<std::pair<std::string, double>, std::uint64_t> idle_;  // by group and bandwidth
};

}  // namespace motley
