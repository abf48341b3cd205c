#pragma once

#include "sim/base/thread_pool.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/bodies.hpp"
#include "sim/engine/collectives/average_of_all.hpp"
#include "sim/engine/collectives/groups.hpp"
#include "sim/engine/computing/computation.hpp"
#include "sim/engine/computing/evaluator.hpp"
#include "sim/engine/computing/shared_partitions.hpp"
#include "sim/engine/ending.hpp"
#include "sim/engine/failures/machine_failures.hpp"
#include "sim/engine/failures/recovery.hpp"
#include "sim/engine/model/global_model.hpp"
#include "sim/engine/model/model_layout.hpp"
#include "sim/engine/model/replicas.hpp"
#include "sim/engine/model/updates.hpp"
#include "sim/engine/network/background.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/network/post_office.hpp"
#include "sim/engine/platform/engine_setup.hpp"
#include "sim/engine/platform/platform.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/engine/standstill.hpp"
#include "sim/learning/rules/step_memo.hpp"
#include "sim/results/recorder.hpp"

namespace motley {

/// All that one run is made of: what the verbs (SimulatedWorker, SimulatedServer) find around them. Each
/// part does one thing; here they only come together. One object per process, used once.
struct World {
  World(const SimulationSetup& of, const Algorithm& run);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  double clock() const { return agenda.now(); }
  std::size_t workers() const { return setup.cluster.workers.size(); }
  std::size_t server_node(const ShardState& shard) const {
    return platform.server_node(shard.shard.server);
  }
  /// Whether speeds and bandwidths change only as the scenario says, if at all, and everybody has
  /// links of its own: then much can be worked out without asking SimGrid. Not when SimGrid is to
  /// trace it, or to do it all.
  bool is_plain_switch() const {
    return platform.is_plain_switch() && setup.paje_file.empty() &&
           setup.scenario.solver == Scenario::Solver::fast;
  }

  SimulationSetup setup;
  const Algorithm& algorithm;

  // The machines, and what happens on them.
  EngineSetup engine;
  Platform platform;
  Agenda agenda;
  Recovery recovery;
  MachineFailures failures;
  Recorder recorder;
  Network network;
  Background background;

  // What is really computed.
  ThreadPool pool;
  LookAhead look_ahead;
  Evaluator evaluator;
  StepMemo step_memo;
  SharedPartitions partitions;

  // The model.
  ModelLayout layout;
  AverageOfAll average_of_all;
  GlobalModel global_model;
  Updates updates;

  // Who takes part.
  PostOffice post;
  Groups groups;
  Replicas replicas;
  Bodies bodies;

  // How it ends.
  Ending ending;
  Standstill standstill;
};

}  // namespace motley
