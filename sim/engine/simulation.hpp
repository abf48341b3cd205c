#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/base/thread_pool.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/background.hpp"
#include "sim/engine/computation.hpp"
#include "sim/engine/departures.hpp"
#include "sim/engine/engine_setup.hpp"
#include "sim/engine/evaluator.hpp"
#include "sim/engine/global_model.hpp"
#include "sim/engine/gradient_buckets.hpp"
#include "sim/engine/groups.hpp"
#include "sim/engine/network.hpp"
#include "sim/engine/parcels.hpp"
#include "sim/engine/replicas.hpp"
#include "sim/engine/shard_state.hpp"
#include "sim/engine/shared_partitions.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/learning/rules/step_memo.hpp"
#include "sim/results/recorder.hpp"

namespace motley {

class SimulatedWorker;
class WorkerMail;

/// One run of one algorithm on one cluster. One object per process, used once.
class Simulation : private MachineFailures::Listener {
 public:
  Simulation(const SimulationSetup& setup, const Algorithm& algorithm);
  ~Simulation() override;

  /// Runs to the end. Divergence and deadlock are results, told by status and reason; what an
  /// algorithm throws is thrown on.
  RunResult run();

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
  const MachineFailures& failures() const { return failures_; }
  Replicas& replicas() { return replicas_; }
  SharedPartitions& partitions() { return partitions_; }
  Workspace& workspace(unsigned thread) { return evaluator_.workspace(thread); }

  // Who and what there is.
  double clock() const { return agenda_.now(); }
  std::size_t workers() const { return setup_.cluster.workers.size(); }
  simgrid::s4u::Host* worker_host(std::size_t rank) const { return platform_.host(rank); }
  simgrid::s4u::Host* server_host(std::size_t server) const {
    return platform_.host(server_node(server));
  }
  std::size_t server_node(std::size_t server) const { return platform_.server_node(server); }
  /// Whether speeds and bandwidths change only as the scenario says, if at all, and everybody has
  /// links of its own: then much can be worked out without asking SimGrid. Not when SimGrid is to
  /// trace it, or to do it all.
  bool is_plain_switch() const {
    return platform_.is_plain_switch() && setup_.paje_file.empty() &&
           setup_.scenario.solver == Scenario::Solver::fast;
  }
  Model initial_model() const { return initial_; }
  /// See modelled_layers().
  const std::vector<Layer>& layers() const { return layers_; }
  bool layers_travel_alone() const { return layers_travel_alone_; }
  /// In which gradients are all-reduced; none when they are whole.
  const std::vector<GradientBucket>& gradient_buckets() const { return gradient_buckets_; }
  bool has_server() const { return has_server_; }
  /// The global model as it was saved last.
  const Model& saved_model() { return global_model_.saved(clock()); }
  ShardState& shard(std::size_t index) { return *shards_[index]; }
  std::size_t shards() const { return shards_.size(); }
  /// By parameters.
  double share_of_model(const ShardState& shard) const;

  /// Sends a message to a worker.
  void send(std::size_t from_node, std::size_t to, std::uint64_t bytes, Message&& message);
  /// Sends a parcel; it is gone when the other machine is down, then false.
  bool send(Parcel& parcel, std::size_t from_node, std::size_t to_node, std::uint64_t bytes,
            std::function<void()> arrived);
  /// Tells that a worker has left or joined, and how often it is known to have failed.
  Parcel& parcel_of(Event::Kind kind, std::size_t worker);

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
  void start_actors();
  /// Before anything happens, where somebody may fail.
  void expect_failures();
  void make_shards();
  void start_server(ShardState& shard);
  void start_worker(std::size_t rank);
  /// Made when it is first needed: most of a large population never are.
  SimulatedWorker& worker(std::size_t rank);
  /// Where something has just arrived; begins its body if it waited for that.
  WorkerMail& mail_of(std::size_t rank);
  void worker_ended(std::size_t rank);
  /// To everybody who is to know.
  void tell(Event::Kind kind, std::size_t rank);

  // See simulation_failures.cpp.
  bool is_anything_going_on() override;
  void machine_fails(std::size_t node) override;
  void machine_is_missed(std::size_t node) override;
  void machine_returns(std::size_t node) override;
  void server_fails(std::size_t node);
  void server_returns(std::size_t node);
  bool has_parts_on(std::size_t node) const;
  /// How many updates are in the present model of a shard.
  std::uint64_t updates_kept(const ShardState& shard) const { return shard.updates - undone_; }
  void begin_anew(ShardState& shard, const Model& model, std::uint64_t kept);
  /// All parts of the model and all workers begin anew together.
  enum class With { checkpoint, present_model };
  void begin_all_anew(With with);
  void begin_anew(std::size_t rank);
  /// Where parts of the model may be at odds after a failure, so that everybody waits for ever.
  void machine_changes();
  void watch();
  bool can_get_going() const;
  void get_going_or_stop();
  bool is_worker_left() const;
  void end_if_nobody_is_left();
  void end_if_nothing_comes_of_it();
  void fail(const std::string& reason);
  void end_at(double time);
  void report_progress(double now);
  /// Nobody computes and nothing is under way: only a timer could go on.
  bool is_stuck() const;
  /// Stuck, with nothing to come but what happens in the background.
  bool is_left_to_background() const;
  double last_event() const;
  /// Ends the run, which nothing brings any further.
  void stand_still();
  std::string who_waits_for_whom(double since) const;
  /// On the timeline, if one is kept: by the scenario's changes, slow-downs and trace.
  void show_slowed_periods();
  RunResult result();
  /// By their ranks: all of them, or in a large cluster those to whom anything has happened.
  std::vector<std::size_t> listed_workers() const;

  SimulationSetup setup_;
  const Algorithm& algorithm_;
  EngineSetup engine_;
  Platform platform_;
  Recorder recorder_;
  ThreadPool pool_;
  LookAhead look_ahead_;
  Evaluator evaluator_;
  StepMemo step_memo_;
  Agenda agenda_;
  MachineFailures failures_;
  Parcels parcels_;
  Network network_;
  Model initial_;
  GlobalModel global_model_;
  GlobalModel::Shards shards_;
  std::vector<std::unique_ptr<SimulatedWorker>> workers_;  // null: not needed so far
  std::vector<bool> has_begun_;                            // the body of a worker
  Departures departures_;
  Groups groups_;
  Replicas replicas_;
  std::vector<simgrid::s4u::ActorPtr> worker_actors_;  // where somebody may fail, as the following
  std::vector<simgrid::s4u::ActorPtr> server_actors_;  // by shard
  std::vector<bool> has_ended_;                        // of workers, by themselves
  std::uint64_t failures_at_update_ = 0;               // so many when the last was seen
  std::uint64_t updates_seen_ = 0;
  double update_seen_at_ = 0;
  std::map<std::size_t, double> server_down_since_;
  std::set<std::size_t> parts_away_;  // nodes with parts of the model that are down
  std::uint64_t undone_ = 0;          // updates, by falling back to checkpoints
  struct Watch final : Agenda::Event {
    explicit Watch(Simulation& of) : simulation(of) { set_background(true); }
    void happen() override { simulation.watch(); }

    Simulation& simulation;
  };
  Watch watch_{*this};
  double watch_interval_s_ = 0;
  std::uint64_t changes_of_machines_ = 0;
  std::uint64_t got_going_at_changes_ = 0;  // so many when everything last began anew by itself
  std::uint64_t got_going_at_update_ = 0;
  SharedPartitions partitions_;
  std::vector<Layer> layers_;
  bool layers_travel_alone_ = false;
  std::vector<GradientBucket> gradient_buckets_;
  CompressSpec compress_;
  bool has_server_ = true;
  Background background_;

  simgrid::s4u::SemaphorePtr end_;  // released once, by the stop rule or an error
  simgrid::s4u::SemaphorePtr never_ = simgrid::s4u::Semaphore::create(0);  // nobody releases it
  std::size_t workers_done_ = 0;
  bool over_ = false;
  double end_time_ = 0;
  std::exception_ptr error_;
  std::string failure_;  // why the run cannot go on
};

}  // namespace motley
