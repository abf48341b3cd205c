#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/engine/agenda.hpp"
#include "sim/engine/network.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What happens whatever the algorithm does: bandwidths change, others send messages. It stops when
/// nothing else is to come, so that a stuck run is found.
class Background {
 public:
  /// `is_alone`: whether nothing else will happen any more.
  Background(Network& network, Agenda& agenda, const ClusterPlan& plan, std::uint64_t seed,
             std::function<bool()> is_alone);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  bool is_empty() const { return changes_ == nullptr && streams_.empty(); }
  /// Before the engine runs.
  void start();

 private:
  class Changes;
  class Stream;

  Network& network_;
  Agenda& agenda_;
  std::function<bool()> is_alone_;
  std::unique_ptr<Changes> changes_;  // of bandwidths; null: none
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace motley
