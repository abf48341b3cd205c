#include "sim/engine/simulation.hpp"

#include <chrono>
#include <map>
#include <sstream>

#include "sim/engine/worker_state.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

Simulation::Simulation(const SimulationSetup& setup)
    : setup_(setup),
      engine_(setup.scenario.network, setup.cluster.workers.size(), setup.paje_file),
      platform_(setup.cluster),
      recorder_(setup.scenario, setup.cluster, setup.problem.train_size()),
      pool_(setup.threads),
      look_ahead_(pool_),
      evaluator_(setup.problem, pool_),
      network_(platform_, setup.scenario, recorder_, agenda_, setup.cluster.workers.size(),
               is_plain_switch()),
      ring_(network_, pool_, setup.scenario.approximate.ring, setup.cluster.workers.size(),
            setup.message_bytes),
      barrier_(setup.cluster.workers.size()),
      end_(s4u::Semaphore::create(0)) {
  if (setup.trace) recorder_.keep_timeline(*setup.trace, setup.cluster);
  Parameters x(setup.problem.dimension());
  setup.problem.initial_model(setup.scenario.seed, x.overwritable());
  initial_ = Model{std::move(x), 0};
  global_ = initial_;
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    workers_.push_back(std::make_unique<WorkerState>(*this, rank));
  }
}

Simulation::~Simulation() = default;

Inbox<Model>& Simulation::worker_inbox(std::size_t rank) {
  return workers_[rank]->inbox();
}

template <class Body>
void Simulation::guarded(Body body) {
  try {
    flush_denormals();
    body();
  } catch (const std::exception&) {  // SimGrid's own kill is not one and must pass
    if (!error_) error_ = std::current_exception();
    if (!over_) end_at(clock());
  }
}

void Simulation::start_actors(Algorithm& algorithm) {
  // All but the referee are daemons: they end when it does. It waits for the stop rule and not for
  // a timer, so that a stuck algorithm is a deadlock and not slow convergence.
  s4u::Actor::create("referee", platform_.any_host(), [this] { end_->acquire(); });
  if (has_server_) {
    s4u::Actor::create("server", platform_.host(server_node()), [this, &algorithm] {
      guarded([&] {
        Server me(*this);
        algorithm.server(me);
      });
    })->daemonize();
  }
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    const std::string& name = setup_.cluster.workers[rank].name;
    s4u::Actor::create(name, platform_.host(rank), [this, &algorithm, rank] {
      guarded([&] {
        Worker me(*workers_[rank]);
        algorithm.worker(me);
      });
    })->daemonize();
  }
}

void Simulation::end_at(double time) {
  over_ = true;
  end_time_ = time;
  network_.close();
  agenda_.close();
  end_->release();
}

void Simulation::stop_if_over() {
  if (!recorder_.stopped() && !over_) return;
  if (!over_) end_at(clock());
  s4u::this_actor::suspend();  // ended with the other daemons
}

void Simulation::report_progress(double now) {
  if (!setup_.on_progress || recorder_.curve().empty()) return;
  const CurvePoint& last = recorder_.curve().back();
  setup_.on_progress(
      {recorder_.progress(now), now, recorder_.updates(), last.test_accuracy, last.test_loss});
}

void Simulation::evaluate(double now) {
  const auto start = std::chrono::steady_clock::now();
  recorder_.evaluated(now, setup_.problem.is_real() ? evaluator_.evaluate(global_) : Evaluation{});
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  evaluation_wall_s_ += passed.count();
  report_progress(now);
}

void Simulation::finish_update(Model& x) {
  const double now = clock();
  const bool due = recorder_.update_finished(now);
  x.version = recorder_.updates();
  global_ = x;
  if (due) evaluate(now);
  stop_if_over();
}

bool Simulation::is_stuck() const {
  if (network_.in_flight() > 0) return false;
  for (const WorkerAccount& account : recorder_.workers()) {
    if (!account.idle()) return false;
  }
  return true;
}

double Simulation::last_event() const {
  double last = 0;
  for (const WorkerAccount& account : recorder_.workers()) last = std::max(last, account.since());
  return last;
}

std::string Simulation::who_waits_for_whom() const {
  std::map<std::string, std::vector<std::string>> waiting;  // by what they wait for
  if (has_server_) waiting[server_waits_for_].push_back("server");
  for (std::size_t rank = 0; rank < workers_.size(); ++rank) {
    waiting[workers_[rank]->waits_for()].push_back(setup_.cluster.workers[rank].name);
  }
  constexpr std::size_t most_names = 6;
  std::ostringstream text;
  for (const auto& [what, who] : waiting) {
    if (text.tellp() > 0) text << "; ";
    for (std::size_t i = 0; i < std::min(who.size(), most_names); ++i) {
      text << (i > 0 ? ", " : "") << who[i];
    }
    if (who.size() > most_names) text << " and " << who.size() - most_names << " more";
    text << (who.size() > 1 ? " wait for " : " waits for ") << what;
  }
  return text.str();
}

RunResult Simulation::run(Algorithm& algorithm) {
  has_server_ = algorithm.needs_server();
  s4u::Engine& engine = engine_.engine();
  s4u::Engine::on_deadlock_cb([this] {
    if (over_) return;
    deadlock_ = who_waits_for_whom();
    over_ = true;
    end_time_ = clock();
    network_.close();
    agenda_.close();
  });
  evaluate(0);
  start_actors(algorithm);
  if (recorder_.stopped()) end_at(0);  // the initial model has reached the target already
  if (setup_.scenario.stop.time_s) {
    engine.run_until(*setup_.scenario.stop.time_s);
    if (!over_) {
      if (is_stuck()) deadlock_ = who_waits_for_whom();
      end_at(is_stuck() ? last_event() : *setup_.scenario.stop.time_s);
    }
  }
  engine.run();
  if (error_) std::rethrow_exception(error_);

  RunResult result;
  result.seed = setup_.scenario.seed;
  for (const HostPlan& host : setup_.cluster.workers) {
    WorkerResult worker;
    worker.name = host.name;
    worker.class_name = host.class_name;
    worker.speed_flops = host.speed_flops;
    worker.data_samples = setup_.partition.size(result.workers.size());
    result.workers.push_back(worker);
  }
  if (!deadlock_.empty()) {
    result.status = "failed";
    std::ostringstream reason;
    reason << "deadlock at " << end_time_ << " s: " << deadlock_;
    result.reason = reason.str();
  } else if (recorder_.status() != Recorder::Status::diverged &&
             recorder_.has_unevaluated_update()) {
    evaluate(end_time_);
  }
  recorder_.close(end_time_);
  recorder_.write_to(result, end_time_);
  result.links = network_.links(end_time_);
  result.evaluation_wall_s = evaluation_wall_s_;
  return result;
}

}  // namespace motley
