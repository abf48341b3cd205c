#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/base/thread_pool.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/computation.hpp"
#include "sim/engine/departures.hpp"
#include "sim/engine/engine_setup.hpp"
#include "sim/engine/evaluator.hpp"
#include "sim/engine/global_model.hpp"
#include "sim/engine/groups.hpp"
#include "sim/engine/network.hpp"
#include "sim/engine/parcels.hpp"
#include "sim/engine/shared_partitions.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/learning/rules/step_memo.hpp"
#include "sim/results/recorder.hpp"

namespace motley {

class SimulatedWorker;

/// One run of one algorithm on one cluster. One object per process, used once.
class Simulation {
 public:
  explicit Simulation(const SimulationSetup& setup);
  ~Simulation();

  /// Runs to the end. Divergence and deadlock are results, told by status and reason; what an
  /// algorithm throws is thrown on.
  RunResult run(const Algorithm& algorithm);

  // What the verbs (SimulatedWorker, SimulatedServer) are made of; not for algorithms.

  // The parts of it.
  const SimulationSetup& setup() const { return setup_; }
  Recorder& recorder() { return recorder_; }
  ThreadPool& pool() { return pool_; }
  LookAhead& look_ahead() { return look_ahead_; }
  StepMemo& step_memo() { return step_memo_; }
  Agenda& agenda() { return agenda_; }
  Network& network() { return network_; }
  Parcels& parcels() { return parcels_; }
  Groups& groups() { return groups_; }
  Departures& departures() { return departures_; }
  SharedPartitions& partitions() { return partitions_; }
  Workspace& workspace(unsigned thread) { return evaluator_.workspace(thread); }

  // Who and what there is.
  double clock() const { return simgrid::s4u::Engine::get_clock(); }
  std::size_t workers() const { return setup_.cluster.workers.size(); }
  simgrid::s4u::Host* worker_host(std::size_t rank) const { return platform_.host(rank); }
  std::size_t server_node(std::size_t server) const { return platform_.server_node(server); }
  /// Whether speeds and bandwidths never change and everybody has links of its own: then much can
  /// be worked out without asking SimGrid. Not when SimGrid is to trace it, or to do it all.
  bool is_plain_switch() const {
    return platform_.is_plain_switch() && setup_.paje_file.empty() &&
           setup_.scenario.solver == Scenario::Solver::fast;
  }
  Model initial_model() const { return initial_; }
  /// With the flops that the scenario's cost gives them.
  const std::vector<Layer>& layers() const { return layers_; }
  bool layers_travel_alone() const { return layers_travel_alone_; }
  ShardState& shard(std::size_t index) { return *shards_[index]; }
  /// By parameters.
  double share_of_model(const ShardState& shard) const;

  /// Sends a message to a worker.
  void send(std::size_t from_node, std::size_t to, std::uint64_t bytes, Message&& message);
  /// Tells that a worker has left.
  Parcel& parcel_of_departure(std::size_t worker);

  // What happens, outside of any actor.
  void model_arrived(Parcel& parcel);
  void message_arrived(Parcel& parcel);
  void push_arrived(Parcel& parcel);
  /// What a handler throws ends the run, as what a body throws does.
  std::function<void(const Message&)> guarded_handler(std::function<void(const Message&)> handler);

  // What bodies have done. The caller never returns from these when the run is over.
  void finish_update(Model& x);
  void finish_shard_update(ShardState& shard, Model& x);
  void finish_own_update(std::size_t rank, const Model& x, std::uint64_t steps);
  void evaluate_merge_before(double now);
  /// Ends the run if the recorder says so.
  void stop_if_over();

 private:
  template <class Body>
  void guarded(Body body);
  void start_actors(const Algorithm& algorithm);
  void make_shards(const Algorithm& algorithm);
  void worker_left(std::size_t rank);
  void end_at(double time);
  void report_progress(double now);
  /// Nobody computes and nothing is under way: only a timer could go on.
  bool is_stuck() const;
  double last_event() const;
  std::string who_waits_for_whom() const;
  RunResult result();

  SimulationSetup setup_;
  EngineSetup engine_;
  Platform platform_;
  Recorder recorder_;
  ThreadPool pool_;
  LookAhead look_ahead_;
  Evaluator evaluator_;
  StepMemo step_memo_;
  Agenda agenda_;
  Parcels parcels_;
  Network network_;
  Model initial_;
  GlobalModel global_model_;
  GlobalModel::Shards shards_;
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;
  Departures departures_;
  Groups groups_;
  SharedPartitions partitions_;
  std::vector<Layer> layers_;
  bool layers_travel_alone_ = false;
  bool has_server_ = true;

  simgrid::s4u::SemaphorePtr end_;  // released once, by the stop rule or an error
  simgrid::s4u::SemaphorePtr never_ = simgrid::s4u::Semaphore::create(0);  // nobody releases it
  std::size_t workers_done_ = 0;
  bool over_ = false;
  double end_time_ = 0;
  std::exception_ptr error_;
  std::string deadlock_;
};

}  // namespace motley
