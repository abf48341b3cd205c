#include "sim/engine/computing/worker_computation.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/engine/world.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// Null when the scenario does not change the speed of this host.
std::unique_ptr<SpeedCurve> curve_of(const HostPlan& host, std::uint64_t seed) {
  return host.changes ? std::make_unique<SpeedCurve>(*host.changes, seed) : nullptr;
}

/// When the run ends in the middle of a computation, or the machine fails, the actor's stack is
/// unwound and the computation must be gone. Its samples come again.
struct Withdraw {
  LookAhead& look_ahead;
  Computation& computation;
  WorkerSamples& samples;
  bool is_real;
  ~Withdraw() {
    if (!is_real) return;
    const bool is_under_way = computation.is_linked();
    look_ahead.withdraw(computation);
    if (is_under_way) samples.put_back();
  }
};

}  // namespace

WorkerComputation::WorkerComputation(World& world, std::size_t rank, WorkerMail& mail,
                                     WorkerSamples& samples)
    : Computation(rank),
      work_(world.agenda, world.platform.host(rank),
            world.is_plain_switch() ? std::optional(world.setup.cluster.workers[rank].speed_flops)
                                    : std::nullopt,
            curve_of(world.setup.cluster.workers[rank], world.setup.scenario.seed)),
      world_(world),
      rank_(rank),
      noise_(world.setup.cluster.workers[rank].noise, world.setup.scenario.seed, rank),
      mail_(mail),
      samples_(samples) {
  mail.on_arrival([this] {
    if (interruptible_) work_.wake();
  });
}

void WorkerComputation::lose_everything() {
  work_.lose();
  interruptible_ = false;
  real_.keep_losses(false);
}

// ---- The real computation ----

void WorkerComputation::compute(unsigned thread) {
  real_.compute(world_.setup.problem, world_.evaluator.workspace(thread), samples_);
}

void WorkerComputation::start_real(double flops) {
  const SimulationSetup& setup = world_.setup;
  real_.clear_losses();
  if (!setup.problem.is_real()) return;
  samples_.draw(real_.samples());
  world_.look_ahead.start(*this,
                          work_.expected_end(flops, setup.cluster.workers[rank_].speed_flops));
}

void WorkerComputation::join_real() {
  if (world_.setup.problem.is_real())
    world_.look_ahead.finish(*this);
  else
    real_.prepare();
}

// ---- Virtual time ----

bool WorkerComputation::is_given_up(const Until& until) const {
  return world_.clock() >= until.deadline || (until.newer_model && mail_.has_news()) ||
         (!until.told.empty() && mail_.has(until.told));
}

double WorkerComputation::samples_to_spend() {
  const std::size_t batch = real_.batch();
  if (batch == batch_spent_) return samples_spent_;
  const SimulationSetup& setup = world_.setup;
  const HostPlan& host = setup.cluster.workers[rank_];
  if (host.max_batch && batch > *host.max_batch) {
    throw std::runtime_error(host.name + " was to compute a batch of " + std::to_string(batch) +
                             " samples, and its max_batch is " + std::to_string(*host.max_batch));
  }
  batch_spent_ = batch;
  samples_spent_ = host.step.samples_at_full_speed(batch, host.speed_flops, setup.flops_per_sample);
  return samples_spent_;
}

void WorkerComputation::show(std::optional<std::uint64_t> version, std::size_t samples) {
  Timeline* timeline = world_.recorder.timeline();
  if (timeline == nullptr) return;
  // Only the server counts the versions of what it sends.
  timeline->computes(rank_, world_.layout.has_server() ? version : std::nullopt, samples);
}

bool WorkerComputation::execute(double flops, const Until& until) {
  WorkerAccount& account = world_.recorder.worker(rank_);
  const double start = world_.clock();
  account.start_computing(start);
  // The plan may make a platform file's host faster than the file does, without touching the file's
  // changes of speed. Elsewhere the quotient is 1.
  if (!world_.is_plain_switch()) {
    flops *=
        world_.platform.host(rank_)->get_speed() / world_.setup.cluster.workers[rank_].speed_flops;
  }
  bool done = true;
  if (!until.ever() && !world_.is_plain_switch() && !work_.is_changing()) {
    s4u::this_actor::execute(flops);  // a platform file's hosts may change their speed
  } else {
    work_.start(flops);
    interruptible_ = until.newer_model || !until.told.empty();
    // Something may have come while this worker was away.
    done = false;
    while (!done && !is_given_up(until)) done = work_.wait(until.deadline);
    interruptible_ = false;
    work_.stop();
  }
  account.stop_computing(world_.clock());
  if (!done) account.discard(world_.clock() - start);
  return done;
}

void WorkerComputation::record_gradients() {
  world_.updates.evaluate_merge_before_now();
  const bool real = world_.setup.problem.is_real();
  for (const double loss : real_.losses()) {
    world_.recorder.gradient_computed(rank_, real_.batch(),
                                      real ? std::optional(loss) : std::nullopt);
  }
  world_.ending.stop_if_over();
}

double WorkerComputation::take_noise(std::size_t steps) {
  measured_noise_.reset();
  return noise_.take(steps);
}

std::optional<double> WorkerComputation::run(const Until& until) {
  const double flops =
      take_noise(real_.steps()) * samples_to_spend() * world_.setup.flops_per_sample;
  const double start = world_.clock();
  const Withdraw guard{world_.look_ahead, *this, samples_, world_.setup.problem.is_real()};
  start_real(flops);
  show(real_.version(), real_.samples());
  if (!execute(flops, until)) {
    world_.look_ahead.withdraw(*this);  // it may be reading them
    samples_.put_back();
    return std::nullopt;
  }
  const double end = world_.clock();
  join_real();
  record_gradients();
  return end - start;
}

// ---- Verbs ----

std::optional<Gradient> WorkerComputation::gradient(const Model& x, std::size_t n,
                                                    const Until& until) {
  return real_.gradient(x, n, [&] { return run(until); });
}

std::optional<Trained> WorkerComputation::local_steps(Model x, std::size_t steps, std::size_t n,
                                                      UpdateRule& rule, const Until& until,
                                                      const Parameters& shift) {
  return real_.local_steps(std::move(x), steps, n, rule, until, shift, [&] { return run(until); });
}

Gradient WorkerComputation::gradient_by_layers(std::size_t n, const Ahead& how, const TakenAt& at) {
  const std::vector<Layer>& layers = world_.layout.layers();
  real_.set_up(Parameters(world_.layout.initial().size()), n);
  const std::span<float> values = real_.overwritable_at();
  auto versions = std::make_shared<std::vector<std::uint64_t>>(mail_.shards());
  const Withdraw guard{world_.look_ahead, *this, samples_, world_.setup.problem.is_real()};

  const double noise = take_noise(1);
  const double samples = samples_to_spend();  // the step's time, in proportion to the layers' flops
  double compute_s = 0;
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();  // of the layers so far
  const auto compute_layer = [&](double flops) {
    const double start = world_.clock();
    show(oldest, n);
    execute(noise * flops * samples, Until{});
    compute_s += world_.clock() - start;
  };
  std::size_t shard = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    for (; shard < mail_.shards() && world_.layout.shard(shard).shard.layer == l; ++shard) {
      std::optional<Model> global;
      if (how.pulls) global = mail_.take(shard);
      const std::size_t begin = world_.layout.shard(shard).shard.begin;
      const Model part = at(global ? &*global : nullptr, begin);
      std::ranges::copy(part.values(), values.begin() + static_cast<std::ptrdiff_t>(begin));
      (*versions)[shard] = part.version;
      oldest = std::min(oldest, part.version);
    }
    // Its inputs are complete with the last layer's weights, its first result is that layer's
    // gradient.
    if (l + 1 == layers.size()) {
      start_real(noise * samples * (layers[l].forward_flops + layers[l].backward_flops));
    }
    compute_layer(layers[l].forward_flops);
  }
  Push push;
  push.kind = "gradient";
  push.samples = n;
  for (std::size_t l = layers.size(); l-- > 0;) {
    compute_layer(layers[l].backward_flops);
    if (l + 1 == layers.size()) {
      join_real();
      push.vector = real_.take_gradient();
    }
    push.compute_s = compute_s;
    for (; shard > 0 && world_.layout.shard(shard - 1).shard.layer == l; --shard) {
      const std::uint64_t version = (*versions)[shard - 1];
      if (how.waits)
        mail_.push_part_with_next_model(shard - 1, push, version, how.exactly);
      else
        mail_.push_part(shard - 1, push, version, how.exactly);
    }
  }
  record_gradients();
  return {std::move(push.vector), oldest, n, compute_s, std::move(versions)};
}

Gradient WorkerComputation::gradient_by_buckets(
    const Model& x, std::size_t n, const std::vector<GradientBucket>& buckets,
    const std::function<void(const Parameters&)>& ready) {
  real_.set_up(x, n);
  const Withdraw guard{world_.look_ahead, *this, samples_, world_.setup.problem.is_real()};
  const double start = world_.clock();
  const double per_flop = take_noise(1) * samples_to_spend();
  double forward_flops = 0;
  for (const Layer& layer : world_.layout.layers()) forward_flops += layer.forward_flops;
  const double first = per_flop * (forward_flops + buckets.front().backward_flops);
  start_real(first);
  show(x.version, n);
  execute(first, Until{});
  join_real();
  Gradient g{real_.take_gradient(), x.version, n, 0, x.shard_versions};
  ready(g);
  for (std::size_t b = 1; b < buckets.size(); ++b) {
    execute(per_flop * buckets[b].backward_flops, Until{});
    ready(g);
  }
  g.compute_s = world_.clock() - start;
  record_gradients();
  return g;
}

void WorkerComputation::encode(double flops) {
  if (flops <= 0) return;
  show(std::nullopt, 0);
  execute(flops, Until{});
}

double WorkerComputation::measure_speed(std::size_t steps, std::size_t n) {
  const double start = world_.clock();
  if (!measured_noise_) measured_noise_ = noise_;  // those of the steps to come are not used up
  real_.set_batch(n);
  show(std::nullopt, steps * n);
  execute(measured_noise_->take(steps) * samples_to_spend() * world_.setup.flops_per_sample,
          Until{});
  return static_cast<double>(steps * n) / (world_.clock() - start);
}

}  // namespace motley
