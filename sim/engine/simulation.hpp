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
  Inbox<Push>& server_inbox() { return server_inbox_; }
  Inbox<Model>& worker_inbox(std::size_t rank);
  std::size_t workers() const { return setup_.cluster.workers.size(); }
  std::size_t server_node() const { return platform_.server_node(); }
  double clock() const { return simgrid::s4u::Engine::get_clock(); }
  Model initial_model() const { return initial_; }
  Workspace& workspace(unsigned thread) { return evaluator_.workspace(thread); }
  void wait_at_barrier() { barrier_.wait(); }
  void finish_update(Model& x);
  /// Ends the run if the recorder says so; then the calling actor never returns from here.
  void stop_if_over();
  /// What the server waits for, while it waits; for the report of a deadlock.
  void set_server_waits_for(std::string what) { server_waits_for_ = std::move(what); }

 private:
  template <class Body>
  void guarded(Body body);
  void start_actors(Algorithm& algorithm);
  void end_at(double time);
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
  Inbox<Push> server_inbox_;
  std::vector<std::unique_ptr<WorkerState>> workers_;
  Gathering barrier_;
  simgrid::s4u::SemaphorePtr end_;  ///< released once, by the stop rule or an error
  Model initial_;
  Model global_;
  bool over_ = false;
  double end_time_ = 0;
  double evaluation_wall_s_ = 0;
  std::exception_ptr error_;
  std::string deadlock_;
  std::string server_waits_for_ = "nothing";
  bool has_server_ = false;
};

}  // namespace motley
