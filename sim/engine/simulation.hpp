#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/core/input/cluster_plan.hpp"
#include "sim/core/learning/evaluator.hpp"
#include "sim/core/learning/model_split.hpp"
#include "sim/core/learning/problem.hpp"
#include "sim/core/learning/sampler.hpp"
#include "sim/core/record/recorder.hpp"
#include "sim/core/thread_pool.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/algorithm.hpp"
#include "sim/engine/computation.hpp"
#include "sim/engine/engine_setup.hpp"
#include "sim/engine/gathering.hpp"
#include "sim/engine/inbox.hpp"
#include "sim/engine/network.hpp"
#include "sim/engine/ring.hpp"

namespace motley {

class WorkerState;

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
  double flops_per_sample = 0;
  std::uint64_t message_bytes = 0;
  unsigned threads = 1;
  std::function<void(const Progress&)> on_progress;  ///< may be empty
  std::optional<TraceWindow> trace = {};             ///< empty: no timeline
  std::string paje_file = {};                        ///< empty: SimGrid traces nothing
};

/// A shard of the model inside the simulation, with the actor of its server.
struct ShardState {
  Shard shard;
  std::size_t index = 0;
  Inbox<Push> inbox;
  Model model;
  std::uint64_t updates = 0;
  std::string waits_for = "nothing";  ///< while it waits; for the report of a deadlock
};

/// One run of one algorithm on one cluster. One object per process, used once.
class Simulation {
 public:
  explicit Simulation(const SimulationSetup& setup);
  ~Simulation();

  /// Runs to the end. Divergence and deadlock are results, told by status and reason; what an
  /// algorithm throws is thrown on.
  RunResult run(Algorithm& algorithm);

  // What the vocabulary (Worker, Server) is made of; not for algorithms.
  const SimulationSetup& setup() const { return setup_; }
  Recorder& recorder() { return recorder_; }
  ThreadPool& pool() { return pool_; }
  LookAhead& look_ahead() { return look_ahead_; }
  StepMemo& step_memo() { return step_memo_; }
  /// Whether speeds and bandwidths never change and everybody has links of its own: then much can
  /// be worked out without asking SimGrid. Not when SimGrid is to trace it.
  bool is_plain_switch() const { return platform_.is_switch() && setup_.paje_file.empty(); }
  Agenda& agenda() { return agenda_; }
  Network& network() { return network_; }
  Ring& ring() { return ring_; }
  std::size_t shards() const { return shards_.size(); }
  ShardState& shard(std::size_t index) { return *shards_[index]; }
  /// With the flops of the modelled network.
  const std::vector<Layer>& layers() const { return layers_; }
  bool layers_travel_alone() const { return layers_travel_alone_; }
  /// By parameters.
  double share_of_model(const ShardState& shard) const;
  /// At the moment it arrives; outside of any actor.
  void model_arrived(std::size_t rank, std::size_t shard, const Model& x);
  /// The parts of the data in proportion to these shares, made by whoever asks first.
  const Partition& partition_by(std::span<const double> shares);
  std::size_t workers() const { return setup_.cluster.workers.size(); }
  simgrid::s4u::Host* worker_host(std::size_t rank) const { return platform_.host(rank); }
  std::size_t server_node(std::size_t server) const { return platform_.server_node(server); }
  double clock() const { return simgrid::s4u::Engine::get_clock(); }
  Model initial_model() const { return initial_; }
  Workspace& workspace(unsigned thread) { return evaluator_.workspace(thread); }
  void wait_at_barrier() { barrier_.wait(); }
  /// The numbers of one gathering, complete when everybody has put one down.
  Notes put_down(std::size_t rank, double number);
  void finish_update(Model& x);
  void finish_shard_update(ShardState& shard, Model& x);
  void finish_own_update(std::size_t rank, const Model& x, std::uint64_t steps);
  /// Makes the point of the curve that a worker's own update at an earlier moment made due: only
  /// when that moment is over, so that it shows all that happened then, in whatever order.
  void evaluate_merge_before(double now);
  /// Ends the run if the recorder says so; then the calling actor never returns from here.
  void stop_if_over();

 private:
  template <class Body>
  void guarded(Body body);
  void start_actors(Algorithm& algorithm);
  void end_at(double time);
  void make_shards();
  /// The global model as it is now: what the servers hold, or what a merge would give.
  Parameters current_model();
  void evaluate(double now);
  void report_progress(double now);
  /// Nobody computes and nothing is under way: only a timer could go on.
  bool is_stuck() const;
  double last_event() const;
  std::string who_waits_for_whom() const;

  SimulationSetup setup_;
  EngineSetup engine_;
  Platform platform_;
  Recorder recorder_;
  ThreadPool pool_;
  LookAhead look_ahead_;
  Evaluator evaluator_;
  StepMemo step_memo_;
  Agenda agenda_;
  Network network_;
  Ring ring_;
  std::vector<std::unique_ptr<ShardState>> shards_;
  std::vector<std::unique_ptr<WorkerState>> workers_;
  std::size_t workers_done_ = 0;
  std::unique_ptr<Partition> shared_partition_;
  Gathering barrier_;
  std::shared_ptr<std::vector<double>> gathered_;
  std::size_t put_down_ = 0;
  simgrid::s4u::SemaphorePtr end_;  ///< released once, by the stop rule or an error
  std::vector<Layer> layers_;
  Model initial_;
  Model global_;
  std::vector<Parameters> own_models_;  ///< of the workers, since the last merge; often none
  std::vector<std::uint64_t> own_steps_;
  std::optional<double> merge_due_;  ///< since when
  bool over_ = false;
  double end_time_ = 0;
  double evaluation_wall_s_ = 0;
  std::exception_ptr error_;
  std::string deadlock_;
  Algorithm* algorithm_ = nullptr;
  bool layers_travel_alone_ = false;
};

}  // namespace motley
