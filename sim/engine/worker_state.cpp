#include "sim/engine/worker_state.hpp"

#include <algorithm>
#include <stdexcept>

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// When the run ends in the middle of a computation, the actor's stack is unwound and the
/// computation must be gone.
struct Withdraw {
  LookAhead& look_ahead;
  Computation& computation;
  ~Withdraw() { look_ahead.withdraw(computation); }
};

}  // namespace

WorkerState::WorkerState(Simulation& simulation, std::size_t rank)
    : Computation(rank),
      simulation_(simulation),
      rank_(rank),
      work_(simulation.agenda(), simulation.worker_host(rank),
            simulation.is_plain_switch()
                ? std::optional(simulation.setup().cluster.workers[rank].speed_flops)
                : std::nullopt),
      sampler_(simulation.setup().partition, simulation.setup().scenario.order(),
               simulation.setup().scenario.seed, rank),
      noise_(simulation.setup().cluster.workers[rank].noise, simulation.setup().scenario.seed,
             rank) {}

// ---- Messages ----

void WorkerState::model_arrived(std::size_t shard, const Model& x) {
  const std::size_t server = simulation_.server_node(simulation_.shard(shard).shard.server);
  inboxes_[shard].put(simulation_.clock(), server, x);
  if (interruptible_) work_.wake();
}

bool WorkerState::has_news() const {
  return std::ranges::any_of(inboxes_, [](const Inbox<Model>& inbox) { return !inbox.empty(); });
}

Model WorkerState::take(std::size_t shard) {
  waits_for_ = "a model from the server";
  Model x = inboxes_[shard].take();
  waits_for_ = "nothing";
  return x;
}

Model WorkerState::pull() {
  if (inboxes_.size() == 1) return take(0);
  Model whole{Parameters(simulation_.initial_model().size()), 0, {}, {}};
  auto versions = std::make_shared<std::vector<std::uint64_t>>();
  const std::span<float> values = whole.overwritable();
  for (std::size_t shard = 0; shard < inboxes_.size(); ++shard) {
    const Model part = take(shard);
    const std::size_t begin = simulation_.shard(shard).shard.begin;
    std::ranges::copy(part.values(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    versions->push_back(part.version);
    whole.notes = part.notes;
  }
  whole.version = *std::min_element(versions->begin(), versions->end());
  whole.shard_versions = std::move(versions);
  return whole;
}

void WorkerState::push(std::size_t shard, Push push) {
  const Shard& to = simulation_.shard(shard).shard;
  const std::uint64_t bytes = push.gradient.empty() ? 0 : to.bytes;
  simulation_.network().send(rank_, simulation_.server_node(to.server), bytes,
                             [this, shard, message = std::move(push)]() mutable {
                               message.message = simulation_.network().arriving();
                               simulation_.shard(shard).inbox.put(simulation_.clock(), rank_,
                                                                  std::move(message));
                             });
}

Gradient WorkerState::part(const Gradient& g, std::size_t shard, std::uint64_t version) const {
  const Shard& of = simulation_.shard(shard).shard;
  return {g.slice(of.begin, of.size), version, g.samples, g.compute_s, {}};
}

void WorkerState::push(Gradient g, bool wants_model, double note) {
  if (inboxes_.size() == 1) {
    push(0, {rank_, std::move(g), wants_model, note});
    return;
  }
  for (std::size_t shard = 0; shard < inboxes_.size(); ++shard) {
    const std::uint64_t version = g.shard_versions ? (*g.shard_versions)[shard] : g.version;
    push(shard, {rank_, g.empty() ? Gradient{} : part(g, shard, version), wants_model, note});
  }
}

// ---- Samples ----

void WorkerState::draw_from_share(std::span<const double> shares) {
  sampler_.draw_from(simulation_.partition_by(shares));
}

void WorkerState::draw_next(std::vector<Sample> samples) {
  told_ = std::move(samples);
  told_drawn_ = 0;
}

void WorkerState::draw() {
  samples_.resize(steps_ * batch_);
  if (!told_) {
    sampler_.draw(samples_);
    return;
  }
  if (told_drawn_ + samples_.size() > told_->size()) {
    throw std::logic_error("a worker was told to draw fewer samples than it needs");
  }
  std::copy_n(told_->begin() + static_cast<std::ptrdiff_t>(told_drawn_), samples_.size(),
              samples_.begin());
  told_drawn_ += samples_.size();
}

void WorkerState::put_back() {
  if (told_)
    told_drawn_ -= samples_.size();
  else
    sampler_.put_back(samples_.size());
  samples_.clear();
}

// ---- Computations ----

void WorkerState::prepare() {
  g_ = Parameters(at_.size());
  g_values_ = g_.overwritable();
  at_values_ = at_.values();
  if (rule_ == nullptr) return;
  rule_->prepare(at_.size());
  moved_ = Parameters(at_.size());
  moved_values_ = moved_.overwritable();
}

void WorkerState::unprepare() {
  g_ = Parameters();
  moved_ = Parameters();
}

void WorkerState::compute(unsigned thread) {
  const Problem& problem = simulation_.setup().problem;
  Workspace& workspace = simulation_.workspace(thread);
  if (rule_ != nullptr) std::ranges::copy(at_values_, moved_values_.begin());
  const std::span<const float> x = rule_ != nullptr ? moved_values_ : at_values_;
  for (std::size_t step = 0; step < steps_; ++step) {
    const std::span<const Sample> batch(samples_.data() + step * batch_, batch_);
    if (keep_losses_) {
      workspace.sample_losses = std::span(sample_losses_).subspan(step * batch_, batch_);
    }
    losses_[step] = problem.gradient(x, batch, g_values_, workspace);
    workspace.sample_losses = {};
    if (rule_ != nullptr) rule_->step(moved_values_, g_values_);
  }
}

bool WorkerState::execute(double flops, const GivenUp& given_up) {
  WorkerAccount& account = simulation_.recorder().worker(rank_);
  const double start = simulation_.clock();
  account.start_computing(start);
  const bool has_conditions = given_up.newer_model || given_up.deadline;
  bool done = true;
  if (!has_conditions && !simulation_.is_plain_switch()) {
    s4u::this_actor::execute(flops);  // a platform file's hosts may change their speed
  } else {
    const double deadline = given_up.deadline.value_or(HostWork::forever);
    const auto is_given_up = [&] {
      return simulation_.clock() >= deadline || (given_up.newer_model && has_news());
    };
    work_.start(flops);
    interruptible_ = given_up.newer_model;
    // A model may have come while this worker was away.
    done = false;
    while (!done && !is_given_up()) done = work_.wait(deadline);
    interruptible_ = false;
    work_.stop();
  }
  account.stop_computing(simulation_.clock());
  if (!done) account.discard(simulation_.clock() - start);
  return done;
}

void WorkerState::start_real(double flops) {
  const SimulationSetup& setup = simulation_.setup();
  losses_.assign(steps_, 0);
  if (keep_losses_) sample_losses_.assign(steps_ * batch_, 0);
  if (!setup.problem.is_real()) return;
  draw();
  simulation_.look_ahead().start(
      *this, simulation_.clock() + flops / setup.cluster.workers[rank_].speed_flops);
}

void WorkerState::join_real() {
  if (simulation_.setup().problem.is_real())
    simulation_.look_ahead().finish(*this);
  else
    prepare();
}

void WorkerState::record_gradients() {
  simulation_.evaluate_merge_before(simulation_.clock());
  const bool real = simulation_.setup().problem.is_real();
  for (const double loss : losses_) {
    simulation_.recorder().gradient_computed(rank_, batch_,
                                             real ? std::optional(loss) : std::nullopt);
  }
  simulation_.stop_if_over();
}

std::optional<double> WorkerState::run(const GivenUp& given_up) {
  const double flops =
      noise_.take(steps_) * static_cast<double>(batch_) * simulation_.setup().flops_per_sample;
  const double start = simulation_.clock();
  const Withdraw guard{simulation_.look_ahead(), *this};
  start_real(flops);
  if (!execute(flops, given_up)) {
    simulation_.look_ahead().withdraw(*this);  // it may be reading them
    put_back();
    return std::nullopt;
  }
  const double end = simulation_.clock();
  join_real();
  record_gradients();
  return end - start;
}

std::optional<Gradient> WorkerState::gradient(const Model& x, std::size_t n,
                                              const GivenUp& given_up) {
  steps_ = 1;
  batch_ = n;
  rule_ = nullptr;
  at_ = x;
  const std::optional<double> compute_s = run(given_up);
  at_ = Parameters();
  if (!compute_s) return std::nullopt;
  return Gradient{std::move(g_), x.version, n, *compute_s, x.shard_versions};
}

Gradient WorkerState::gradient(const Model& x, std::size_t n) {
  return *gradient(x, n, GivenUp{});
}

std::optional<Gradient> WorkerState::gradient_before(double deadline, const Model& x,
                                                     std::size_t n) {
  return gradient(x, n, GivenUp{deadline, false});
}

std::optional<Gradient> WorkerState::gradient_unless_newer(const Model& x, std::size_t n) {
  return gradient(x, n, GivenUp{std::nullopt, true});
}

Model WorkerState::local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule) {
  steps_ = steps;
  batch_ = n;
  rule_ = &rule;
  at_ = x;
  run(GivenUp{});
  at_ = Parameters();
  g_ = Parameters();
  static_cast<Parameters&>(x) = std::move(moved_);
  return x;
}

void WorkerState::answer_by_layers(std::size_t n) {
  const std::vector<Layer>& layers = simulation_.layers();
  steps_ = 1;
  batch_ = n;
  rule_ = nullptr;
  at_ = Parameters(simulation_.initial_model().size());
  const std::span<float> values = at_.overwritable();
  std::vector<std::uint64_t> versions(inboxes_.size());
  const Withdraw guard{simulation_.look_ahead(), *this};

  const double noise = noise_.take(1);
  double compute_s = 0;
  const auto compute_layer = [&](double flops) {
    const double start = simulation_.clock();
    execute(noise * flops * static_cast<double>(n), GivenUp{});
    compute_s += simulation_.clock() - start;
  };
  std::size_t shard = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    for (; shard < inboxes_.size() && simulation_.shard(shard).shard.layer == l; ++shard) {
      const Model part = take(shard);
      const std::size_t begin = simulation_.shard(shard).shard.begin;
      std::ranges::copy(part.values(), values.begin() + static_cast<std::ptrdiff_t>(begin));
      versions[shard] = part.version;
    }
    // Its inputs are complete with the last layer's weights, its first result is that layer's
    // gradient.
    if (l + 1 == layers.size()) {
      start_real(noise * static_cast<double>(n) *
                 (layers[l].forward_flops + layers[l].backward_flops));
    }
    compute_layer(layers[l].forward_flops);
  }
  Gradient g;
  for (std::size_t l = layers.size(); l-- > 0;) {
    compute_layer(layers[l].backward_flops);
    if (l + 1 == layers.size()) {
      join_real();
      g = {std::move(g_), 0, n, 0, {}};
    }
    g.compute_s = compute_s;
    for (; shard > 0 && simulation_.shard(shard - 1).shard.layer == l; --shard) {
      push(shard - 1, {rank_, part(g, shard - 1, versions[shard - 1])});
    }
  }
  at_ = Parameters();
  record_gradients();
}

double WorkerState::measure_speed(std::size_t steps, std::size_t n) {
  const double start = simulation_.clock();
  StepNoise slow_downs = noise_;  // a copy: those of the steps to come are not used up
  execute(slow_downs.take(steps) * static_cast<double>(n) * simulation_.setup().flops_per_sample,
          GivenUp{});
  return static_cast<double>(steps * n) / (simulation_.clock() - start);
}

}  // namespace motley
