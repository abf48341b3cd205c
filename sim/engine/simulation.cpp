#include "sim/engine/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>

#include "sim/engine/simgrid_generation.hpp"
#include "sim/engine/worker_state.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

Simulation::Simulation(const SimulationSetup& setup)
    : setup_(setup),
      engine_(setup.scenario.network, setup.cluster.workers.size(), setup.paje_file),
      platform_(setup.cluster),
      recorder_(setup.scenario, setup.cluster, setup.problem.train_size()),
      pool_(setup.threads),
      look_ahead_(pool_, setup.problem.dimension() * sizeof(float)),
      evaluator_(setup.problem, pool_),
      network_(platform_, setup.scenario, recorder_, agenda_, setup.cluster.workers.size(),
               is_plain_switch(), setup.paje_file.empty() ? setup.message_bytes : 0),
      ring_(network_, pool_, setup.scenario.approximate.ring, setup.cluster.workers.size(),
            setup.message_bytes),
      barrier_(setup.cluster.workers.size()),
      end_(s4u::Semaphore::create(0)),
      layers_(setup.problem.layers()) {
  if (setup.trace) recorder_.keep_timeline(*setup.trace, setup.cluster);
  const double own_flops = setup.problem.flops_per_sample();
  for (Layer& layer : layers_) {
    if (own_flops > 0) {
      layer.forward_flops *= setup.flops_per_sample / own_flops;
      layer.backward_flops *= setup.flops_per_sample / own_flops;
    } else {
      layer.forward_flops = setup.flops_per_sample / 3;  // of one layer: the division is immaterial
      layer.backward_flops = setup.flops_per_sample - layer.forward_flops;
    }
  }
  Parameters x(setup.problem.dimension());
  setup.problem.initial_model(setup.scenario.seed, x.overwritable());
  initial_ = Model{std::move(x), 0, {}, {}};
  global_ = initial_;
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    workers_.push_back(std::make_unique<WorkerState>(*this, rank));
  }
}

Simulation::~Simulation() = default;

void Simulation::make_shards() {
  const ExchangeSpec exchange = algorithm_->exchange();
  layers_travel_alone_ = exchange.overlap == ExchangeSpec::Overlap::layers;
  for (const Shard& shard :
       split_model(exchange, setup_.problem.layers(), setup_.cluster, setup_.message_bytes,
                   setup_.scenario.cost.flops_per_update, {})) {
    shards_.push_back(std::make_unique<ShardState>());
    shards_.back()->shard = shard;
    shards_.back()->index = shards_.size() - 1;
    shards_.back()->model = {initial_.slice(shard.begin, shard.size), 0, {}, {}};
  }
  for (const std::unique_ptr<WorkerState>& worker : workers_) worker->expect_shards(shards_.size());
}

double Simulation::share_of_model(const ShardState& shard) const {
  return static_cast<double>(shard.shard.size) / static_cast<double>(initial_.size());
}

void Simulation::model_arrived(std::size_t rank, std::size_t shard, const Model& x) {
  workers_[rank]->model_arrived(shard, x);
}

const Partition& Simulation::partition_by(std::span<const double> shares) {
  if (!shared_partition_) {
    shared_partition_ =
        std::make_unique<Partition>(setup_.problem.train_size(), shares, setup_.scenario.seed);
  }
  return *shared_partition_;
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
  generation::add_actor("referee", platform_.any_host(), [this] { end_->acquire(); });
  if (algorithm.needs_server()) {
    for (const std::unique_ptr<ShardState>& shard : shards_) {
      s4u::Host* host = platform_.host(server_node(shard->shard.server));
      generation::add_actor("server", host, [this, &algorithm, index = shard->index] {
        guarded([&] {
          Server me(*this, index);
          algorithm.server(me);
        });
      })->daemonize();
    }
  }
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    const std::string& name = setup_.cluster.workers[rank].name;
    generation::add_actor(name, platform_.host(rank), [this, &algorithm, rank] {
      guarded([&] {
        Worker me(*workers_[rank]);
        algorithm.worker(me);
        if (++workers_done_ == workers() && !over_) end_at(clock());
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
  recorder_.evaluated(
      now, setup_.problem.is_real() ? evaluator_.evaluate(current_model()) : Evaluation{});
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  evaluation_wall_s_ += passed.count();
  report_progress(now);
}

void Simulation::finish_update(Model& x) {
  const double now = clock();
  evaluate_merge_before(now);
  // What was due at this very moment shows the real merge.
  const bool due = recorder_.update_finished(now) || merge_due_;
  merge_due_.reset();
  x.version = recorder_.updates();
  global_ = x;
  own_models_.clear();
  if (due) evaluate(now);
  stop_if_over();
}

Notes Simulation::put_down(std::size_t rank, double number) {
  if (put_down_ == 0) gathered_ = std::make_shared<std::vector<double>>(workers());
  (*gathered_)[rank] = number;
  put_down_ = (put_down_ + 1) % workers();
  return gathered_;
}

void Simulation::finish_shard_update(ShardState& shard, Model& x) {
  x.version = ++shard.updates;
  x.shard_versions = nullptr;
  shard.model = x;
  if (shards_.size() == 1) {
    finish_update(x);
    return;
  }
  for (const std::unique_ptr<ShardState>& other : shards_) {
    if (other->updates <= recorder_.updates()) return;  // the whole is not updated yet
  }
  const double now = clock();
  if (recorder_.update_finished(now)) evaluate(now);
  stop_if_over();
}

void Simulation::finish_own_update(std::size_t rank, const Model& x, std::uint64_t steps) {
  if (own_models_.empty()) {
    own_models_.assign(workers(), global_);
    own_steps_.assign(workers(), 0);
  }
  own_models_[rank] = x;
  own_steps_[rank] = steps;
  const double now = clock();
  if (recorder_.update_finished(now)) merge_due_ = now;
  stop_if_over();
}

void Simulation::evaluate_merge_before(double now) {
  if (!merge_due_ || *merge_due_ >= now) return;
  const double due = *merge_due_;
  merge_due_.reset();
  if (!over_) evaluate(due);
  stop_if_over();
}

Parameters Simulation::current_model() {
  if (!own_models_.empty()) {
    std::vector<const Parameters*> models;
    std::vector<float> weights;
    for (const Parameters& model : own_models_) models.push_back(&model);
    for (const double weight : algorithm_->merge_weights(own_steps_)) {
      weights.push_back(static_cast<float>(weight));
    }
    return weighted_sum(models, weights, pool_);
  }
  if (shards_.size() == 1 || !algorithm_->needs_server()) return global_;
  Parameters whole(initial_.size());
  const std::span<float> values = whole.overwritable();
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    std::ranges::copy(shard->model.values(),
                      values.begin() + static_cast<std::ptrdiff_t>(shard->shard.begin));
  }
  return whole;
}

bool Simulation::is_stuck() const {
  if (network_.in_flight() > 0) return false;
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    if (algorithm_->needs_server() && shard->waits_for == "nothing") return false;  // it updates
  }
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
  if (algorithm_->needs_server()) {
    for (const std::unique_ptr<ShardState>& shard : shards_) {
      std::vector<std::string>& names = waiting[shard->waits_for];
      const std::string& name = setup_.cluster.servers[shard->shard.server].name;
      if (names.empty() || names.back() != name) names.push_back(name);
    }
  }
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
  algorithm_ = &algorithm;
  make_shards();
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
    worker.data_samples = workers_[result.workers.size()]->data_samples();
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
