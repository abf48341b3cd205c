#include "sim/engine/simulation.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>

#include "sim/engine/modelled_layers.hpp"
#include "sim/engine/simgrid_generation.hpp"
#include "sim/engine/simulated_server.hpp"
#include "sim/engine/simulated_worker.hpp"
#include "sim/engine/who_waits.hpp"
#include "sim/results/idle_parts.hpp"
#include "sim/scenario/planned_traffic.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

Model initial_model_of(const SimulationSetup& setup) {
  Parameters values(setup.problem.dimension());
  setup.problem.initial_model(setup.scenario.seed, values.overwritable());
  Model x;
  static_cast<Parameters&>(x) = std::move(values);
  return x;
}

/// Of a message. Those of others have up to 1e15 bytes: a part of a byte of theirs must not overflow.
std::uint64_t typical_bytes(const SimulationSetup& setup) {
  constexpr std::uint64_t of_others = std::uint64_t{1} << 36U;
  return setup.cluster.traffic.empty() ? setup.message_bytes
                                       : std::max(setup.message_bytes, of_others);
}

/// Where workers talk with a single server only, every message shares links with others at that server's
/// port alone: no solver is ever asked.
Platform::Extent extent_for(const SimulationSetup& setup, const Algorithm& algorithm) {
  const ClusterPlan& cluster = setup.cluster;
  const bool is_known = cluster.is_plain_switch() && cluster.link_changes.empty() &&
                        cluster.traffic.empty() && setup.paje_file.empty() &&
                        setup.scenario.solver == Scenario::Solver::fast &&
                        setup.scenario.network == Scenario::Network::fluid;
  const bool at_one_port = algorithm.needs_server() && algorithm.workers_begin_with_a_model() &&
                           cluster.servers.size() == 1;
  return is_known && at_one_port ? Platform::Extent::servers : Platform::Extent::everything;
}

}  // namespace

Simulation::Simulation(const SimulationSetup& setup, const Algorithm& algorithm)
    : setup_(setup),
      algorithm_(algorithm),
      engine_(setup.scenario.network, setup.cluster.workers.size(), setup.paje_file),
      platform_(setup.cluster, extent_for(setup, algorithm)),
      recorder_(setup.scenario, setup.cluster, setup.problem.train_size()),
      pool_(setup.threads),
      look_ahead_(pool_, setup.problem.dimension() * sizeof(float)),
      evaluator_(setup.problem, pool_),
      failures_(setup.cluster,
                setup.scenario.cluster.failures ? &*setup.scenario.cluster.failures : nullptr,
                setup.scenario.seed, agenda_, *this),
      network_(platform_, setup.scenario, recorder_, agenda_, setup.cluster.workers.size(),
               is_plain_switch() && !has_traffic_outside(setup.cluster),
               setup.paje_file.empty() ? typical_bytes(setup) : 0),
      initial_(initial_model_of(setup)),
      global_model_(initial_, evaluator_, recorder_, pool_, setup.problem.is_real(),
                    setup.cluster.workers.size(), [this](double now) { report_progress(now); }),
      groups_({network_, platform_, setup_.cluster, pool_, setup_.scenario.approximate,
               setup.message_bytes, setup.problem.dimension()},
              failures_),
      replicas_(network_, agenda_, failures_, setup.message_bytes, setup.cluster.workers.size()),
      partitions_(setup.problem.train_size(), setup.scenario.seed),
      layers_(modelled_layers(setup.scenario.cost, setup.problem, setup.flops_per_sample)),
      background_(network_, agenda_, setup.cluster, setup.scenario.seed,
                  {[this] { return is_left_to_background() && !can_get_going(); },
                   [this] { stand_still(); }}),
      end_(s4u::Semaphore::create(0)) {
  if (setup.trace) recorder_.keep_timeline(*setup.trace, setup.cluster);
  workers_.resize(workers());
  has_begun_.resize(workers(), false);
}

Simulation::~Simulation() = default;

// ---- Who and what there is ----

void Simulation::make_shards() {
  const ExchangeSpec exchange = algorithm_.exchange();
  layers_travel_alone_ = exchange.overlap == ExchangeSpec::Overlap::layers;
  groups_.set_collective(ExchangeSpec::name_of(exchange.collective));
  if (exchange.bucket_bytes) {
    gradient_buckets_ =
        motley::gradient_buckets(layers_, setup_.message_bytes, *exchange.bucket_bytes);
  }
  // Servers that nobody needs hold no parts of the model.
  const bool is_split = algorithm_.needs_server();
  static const ClusterPlan nowhere;
  for (const Shard& shard :
       split_model(is_split ? exchange : ExchangeSpec{}, layers_, initial_.size(),
                   is_split ? setup_.cluster : nowhere, setup_.message_bytes,
                   setup_.scenario.cost.flops_per_update, {})) {
    shards_.push_back(std::make_unique<ShardState>(agenda_));
    shards_.back()->shard = shard;
    shards_.back()->index = shards_.size() - 1;
    static_cast<Parameters&>(shards_.back()->model) = initial_.slice(shard.begin, shard.size);
  }
  compress_ = exchange.compress;
}

SimulatedWorker& Simulation::worker(std::size_t rank) {
  std::unique_ptr<SimulatedWorker>& worker = workers_[rank];
  if (!worker) {
    worker = std::make_unique<SimulatedWorker>(*this, rank);
    worker->mail().expect(shards_.size(), compress_);
  }
  return *worker;
}

WorkerMail& Simulation::mail_of(std::size_t rank) {
  if (!has_begun_[rank] && algorithm_.workers_begin_with_a_model()) start_worker(rank);
  return worker(rank).mail();
}

double Simulation::share_of_model(const ShardState& shard) const {
  return static_cast<double>(shard.shard.size) / static_cast<double>(initial_.size());
}

// ---- What happens ----

void Simulation::send(std::size_t from_node, std::size_t to, std::uint64_t bytes,
                      Message&& message) {
  Parcel& parcel = parcels_.make();
  parcel.to = to;
  parcel.event.kind = Event::Kind::message;
  parcel.event.worker = from_node;
  parcel.event.message = Push{std::move(message)};
  send(parcel, from_node, to, bytes, [this, &parcel] { message_arrived(parcel); });
}

bool Simulation::send(Parcel& parcel, std::size_t from_node, std::size_t to_node,
                      std::uint64_t bytes, std::function<void()> arrived) {
  parcels_.departs(parcel, from_node, to_node);
  const bool departs = network_.send(from_node, to_node, bytes, std::move(arrived));
  if (!departs) parcels_.throw_away(parcel);
  return departs;
}

Parcel& Simulation::parcel_of(Event::Kind kind, std::size_t worker) {
  Parcel& parcel = parcels_.make();
  parcel.event = {kind, {}, worker};
  parcel.event.message.version = failures_.noticed_failures(worker);
  return parcel;
}

void Simulation::model_arrived(Parcel& parcel) {
  Parcels::arrives(parcel);
  mail_of(parcel.to).model_arrived(parcel);
}

void Simulation::message_arrived(Parcel& parcel) {
  Parcels::arrives(parcel);
  parcel.event.message.traced = network_.arriving();
  mail_of(parcel.to).message_arrived(parcel);
}

void Simulation::push_arrived(Parcel& parcel) {
  Parcels::arrives(parcel);
  parcel.event.message.traced = network_.arriving();
  ShardState& to = *shards_[parcel.shard];
  worker(parcel.event.worker).mail().push_has_arrived(parcel.shard);
  if (parcel.server_life != to.life) {  // it comes from a model that is lost
    const Push push = parcels_.take_push(parcel);
    recorder_.worker(push.sender).discard(push.compute_s * share_of_model(to));
    return;
  }
  to.inbox.put(clock(), parcel.event.worker, parcel);
  to.arrival.look();
}

void Simulation::tell(Event::Kind kind, std::size_t rank) {
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    shard->inbox.put(clock(), rank, parcel_of(kind, rank));
    shard->arrival.look();
  }
  departures_.record(clock(), rank, kind);
}

void Simulation::worker_ended(std::size_t rank) {
  tell(Event::Kind::left, rank);
  recorder_.expenses().worker_left(clock(), rank);
  ++workers_done_;
  if (failures_.any()) {
    has_ended_[rank] = true;
    worker_actors_[rank] = nullptr;
  }
  if (!is_worker_left() && !over_) end_at(clock());
}

std::function<void(const Message&)> Simulation::guarded_handler(
    std::function<void(const Message&)> handler) {
  return [this, handler = std::move(handler)](const Message& message) {
    guarded([&] { handler(message); });
  };
}

// ---- Running ----

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

void Simulation::start_actors() {
  // All but the referee are daemons: they end when it does. It waits for the stop rule and not for
  // a timer, so that a stuck algorithm is a deadlock and not slow convergence.
  generation::add_actor("referee", platform_.any_host(), [this] { end_->acquire(); });
  if (has_server_) {
    for (const std::unique_ptr<ShardState>& shard : shards_) {
      if (failures_.is_up(server_node(shard->shard.server))) start_server(*shard);
    }
  }
  if (algorithm_.workers_begin_with_a_model()) return;
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    if (failures_.is_up(rank)) start_worker(rank);
  }
}

void Simulation::start_server(ShardState& shard) {
  s4u::Host* host = platform_.host(server_node(shard.shard.server));
  const s4u::ActorPtr actor = generation::add_actor("server", host, [this, index = shard.index] {
    guarded([&] {
      SimulatedServer me(*this, index);
      algorithm_.server(me);
      shards_[index]->waits_for = "nobody, having come to its end";
    });
  });
  actor->daemonize();
  if (failures_.any()) server_actors_[shard.index] = actor;
}

void Simulation::start_worker(std::size_t rank) {
  has_begun_[rank] = true;
  const std::string& name = setup_.cluster.workers[rank].name;
  const s4u::ActorPtr actor = generation::add_actor(name, platform_.host(rank), [this, rank] {
    guarded([&] {
      algorithm_.worker(worker(rank));
      worker_ended(rank);
    });
  });
  actor->daemonize();
  if (failures_.any()) worker_actors_[rank] = actor;
}

void Simulation::end_at(double time) {
  over_ = true;
  end_time_ = time;
  network_.close();
  agenda_.close();
  end_->release();
}

void Simulation::stop_if_over() {
  if (!recorder_.stop().stopped() && !over_) return;
  if (!over_) end_at(clock());
  // Until it is ended with the other daemons. Not suspended: SimGrid 4 cannot suspend an actor that
  // has cancelled an execution.
  never_->acquire();
}

void Simulation::report_progress(double now) {
  if (!setup_.on_progress || recorder_.curve().empty()) return;
  const CurvePoint& last = recorder_.curve().back();
  setup_.on_progress(
      {recorder_.progress(now), now, recorder_.updates(), last.test_accuracy, last.test_loss});
}

void Simulation::finish_update(Model& x) {
  evaluate_merge_before(clock());
  global_model_.update(clock(), x);
  stop_if_over();
}

void Simulation::finish_shard_update(ShardState& shard, Model& x) {
  evaluate_merge_before(clock());
  // What is saved while another part is away would not go with it.
  if (failures_.any() && parts_away_.empty()) {
    shard.checkpoint.pass(clock(), shard.model, updates_kept(shard));
  }
  global_model_.update_shard(clock(), shard, x);
  stop_if_over();
}

void Simulation::finish_own_update(std::size_t rank, const Model& x, std::uint64_t steps) {
  global_model_.update_own(clock(), rank, x, steps);
  stop_if_over();
}

void Simulation::evaluate_merge_before(double now) {
  if (!over_) global_model_.evaluate_merge_before(now);
  stop_if_over();
}

// ---- Stuck ----

bool Simulation::is_stuck() const {
  if (network_.in_flight() > 0 || failures_.is_change_due()) return false;
  for (const std::unique_ptr<ShardState>& shard : shards_) {
    if (has_server_ && std::string_view(shard->waits_for) == "nothing") return false;  // it updates
  }
  for (const WorkerAccount& account : recorder_.workers()) {
    if (!account.idle()) return false;
  }
  return true;
}

bool Simulation::is_left_to_background() const {
  return is_stuck() && agenda_.has_only_background() && last_event() < clock() &&
         agenda_.last_foreground() < clock();
}

double Simulation::last_event() const {
  double last = 0;
  for (const WorkerAccount& account : recorder_.workers()) last = std::max(last, account.since());
  return last;
}

void Simulation::stand_still() {
  if (over_) return;
  failure_ = who_waits_for_whom(last_event());
  end_at(last_event());
}

std::string Simulation::who_waits_for_whom(double since) const {
  WhoWaits who;
  if (has_server_) {
    for (const std::unique_ptr<ShardState>& shard : shards_) {
      who.add(setup_.cluster.servers[shard->shard.server].name, shard->waits_for);
    }
  }
  for (std::size_t rank = 0; rank < workers_.size(); ++rank) {
    const std::string& name = setup_.cluster.workers[rank].name;
    if (failures_.is_gone_for_good(rank))
      who.add_gone(name);
    else
      who.add(name,
              workers_[rank] ? workers_[rank]->mail().waits_for() : "a model from the server");
  }
  return who.text(since);
}

// ---- The run ----

RunResult Simulation::run() {
  has_server_ = algorithm_.needs_server();
  if (!has_server_) recorder_.expenses().leave_out_servers();
  make_shards();
  global_model_.begin(algorithm_, shards_);
  if (failures_.any()) expect_failures();
  s4u::Engine& engine = engine_.engine();
  s4u::Engine::on_deadlock_cb([this] {
    if (over_) return;
    over_ = true;
    end_time_ = background_.is_empty() ? clock() : last_event();
    failure_ = who_waits_for_whom(end_time_);
    network_.close();
    agenda_.close();
  });
  global_model_.evaluate(0);
  failures_.begin();
  start_actors();
  background_.start();
  if (recorder_.stop().stopped()) end_at(0);  // the initial model has reached the target already
  if (setup_.scenario.stop.time_s) {
    engine.run_until(*setup_.scenario.stop.time_s);
    if (!over_) {
      if (is_stuck() && agenda_.has_only_background() &&
          !can_get_going())  // none waits for a moment
        stand_still();
      else
        end_at(*setup_.scenario.stop.time_s);
    }
  }
  engine.run();
  if (error_) std::rethrow_exception(error_);
  return result();
}

std::vector<std::size_t> Simulation::listed_workers() const {
  const bool all = workers() <= most_workers_listed;
  const std::set<std::size_t> decided = recorder_.decided_about();
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < workers(); ++rank) {
    const bool took_part = workers_[rank] || failures_.failures(rank) > 0;
    if (all || took_part || decided.contains(rank)) ranks.push_back(rank);
  }
  return ranks;
}

void Simulation::show_slowed_periods() {
  Timeline* timeline = recorder_.timeline();
  if (timeline == nullptr) return;
  std::size_t node = 0;
  for (const std::vector<HostPlan>* hosts : {&setup_.cluster.workers, &setup_.cluster.servers}) {
    for (const HostPlan& host : *hosts) {
      const std::size_t of = node++;
      if (!host.changes || !timeline->is_kept(of)) continue;
      SpeedCurve curve(*host.changes, setup_.scenario.seed);
      for (double now = 0; now < end_time_;) {
        const double factor = curve.at(now);
        const double next = std::min(end_time_, curve.next_change(now));
        if (factor < 1) timeline->was_slowed(of, factor, now, next);
        now = next;
      }
    }
  }
}

RunResult Simulation::result() {
  RunResult result;
  result.seed = setup_.scenario.seed;
  const auto samples_of = [this](std::size_t rank) {
    return workers_[rank] ? workers_[rank]->data_samples() : setup_.partition.size(rank);
  };
  const std::vector<std::size_t> listed = listed_workers();
  for (const std::size_t rank : listed) {
    const HostPlan& host = setup_.cluster.workers[rank];
    result.workers.push_back({.name = host.name,
                              .class_name = host.class_name,
                              .speed_flops = host.speed_flops,
                              .data_samples = samples_of(rank)});
  }
  if (!failure_.empty()) {
    result.status = RunStatus::failed;
    result.reason = failure_;
  } else if (recorder_.stop().status() != StopRule::Status::diverged &&
             recorder_.has_unevaluated_update()) {
    global_model_.evaluate(end_time_);
  }
  show_slowed_periods();
  recorder_.close(end_time_);
  recorder_.write_to(result, end_time_, listed);
  if (listed.size() < workers()) {
    result.uneven = heterogeneity(worker_speeds(setup_.cluster));
    add_idle_classes(result, setup_.cluster, listed, samples_of);
  }
  result.links = network_.links(end_time_, setup_.cluster);
  result.evaluation_wall_s = global_model_.evaluation_wall_s();
  return result;
}

RunResult simulate(const SimulationSetup& setup, const Algorithm& algorithm) {
  Simulation simulation(setup, algorithm);
  RunResult result = simulation.run();
  if (setup.trace && setup.on_timeline) setup.on_timeline(*simulation.recorder().timeline());
  return result;
}

}  // namespace motley
