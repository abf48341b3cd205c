#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/learning/data/augmentation.hpp"
#include "sim/learning/data/partition.hpp"
#include "sim/learning/data/sample_order.hpp"
#include "sim/learning/models/problem.hpp"
#include "sim/results/run_result.hpp"
#include "sim/results/timeline.hpp"
#include "sim/scenario/cluster_plan.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {

/// How far a run is, for those who watch.
struct Progress {
  double share = 0;  ///< of the nearest stop rule
  double virtual_s = 0;
  std::uint64_t updates = 0;
  std::optional<double> test_accuracy;
  std::optional<double> test_loss;
};

/// All that a simulation is made of. References must outlive it.
struct SimulationSetup {
  const Scenario& scenario;
  const ClusterPlan& cluster;
  const Problem& problem;
  const Partition& partition;
  SampleOrder order;
  double flops_per_sample = 0;
  std::uint64_t message_bytes = 0;
  unsigned threads = 1;
  std::function<void(const Progress&)> on_progress;       ///< may be empty
  std::optional<TraceWindow> trace = {};                  ///< empty: no timeline
  std::function<void(const Timeline&)> on_timeline = {};  ///< given the timeline in the end
  std::string paje_file = {};                             ///< empty: SimGrid traces nothing
  std::vector<AugmentationStep> augment = {};             ///< what is done to training images
};

/// One run of one algorithm on one cluster, to its end. Once per process. Divergence and deadlock are
/// results, told by status and reason; what an algorithm throws is thrown on.
RunResult simulate(const SimulationSetup& setup, const Algorithm& algorithm);

}  // namespace motley
