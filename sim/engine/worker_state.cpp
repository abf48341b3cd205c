#include "sim/engine/worker_state.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

WorkerState::WorkerState(Simulation& simulation, std::size_t rank)
    : Computation(rank),
      simulation_(simulation),
      rank_(rank),
      alarm_(simulation.agenda()),
      sampler_(simulation.setup().partition,
               simulation.setup().scenario.data ? simulation.setup().scenario.data->order
                                                : DataSpec::Order::shuffled,
               simulation.setup().scenario.seed, rank),
      noise_(simulation.setup().cluster.workers[rank].noise, simulation.setup().scenario.seed,
             rank) {}

void WorkerState::prepare() {
  g_ = Parameters(at_.size());
  g_values_ = g_.overwritable();
  if (rule_ == nullptr) {
    read_ = at_.values();
  } else {
    rule_->prepare(at_.size());
    at_values_ = at_.writable();
    read_ = at_values_;
  }
}

void WorkerState::compute(unsigned thread) {
  const Problem& problem = simulation_.setup().problem;
  for (std::size_t step = 0; step < steps_; ++step) {
    const std::span<const Sample> batch(samples_.data() + step * batch_, batch_);
    losses_[step] = problem.gradient(read_, batch, g_values_, simulation_.workspace(thread));
    if (rule_ != nullptr) rule_->step(at_values_, g_values_);
  }
}

void WorkerState::execute(double flops) {
  if (simulation_.is_plain_switch()) {
    const double speed = simulation_.setup().cluster.workers[rank_].speed_flops;
    alarm_.sleep_until(simulation_.clock() + flops / speed);
  } else {
    s4u::this_actor::execute(flops);  // a platform file's hosts may change their speed
  }
}

double WorkerState::run() {
  // When the run ends in the middle, this actor's stack is unwound and the computation must be
  // gone.
  struct Withdraw {
    LookAhead& look_ahead;
    Computation& computation;
    ~Withdraw() { look_ahead.withdraw(computation); }
  };
  const SimulationSetup& setup = simulation_.setup();
  const double flops = noise_.take(steps_) * static_cast<double>(batch_) * setup.flops_per_sample;
  const double start = simulation_.clock();
  const bool real = setup.problem.is_real();
  losses_.assign(steps_, 0);
  if (real) {
    samples_.resize(steps_ * batch_);
    sampler_.draw(samples_);
    simulation_.look_ahead().start(*this, start + flops / setup.cluster.workers[rank_].speed_flops);
  }
  const Withdraw guard{simulation_.look_ahead(), *this};

  Recorder& recorder = simulation_.recorder();
  recorder.worker(rank_).start_computing(start);
  execute(flops);
  const double end = simulation_.clock();
  recorder.worker(rank_).stop_computing(end);
  if (real)
    simulation_.look_ahead().finish(*this);
  else
    prepare();
  for (const double loss : losses_) {
    recorder.gradient_computed(rank_, batch_, real ? std::optional(loss) : std::nullopt);
  }
  simulation_.stop_if_over();
  return end - start;
}

Gradient WorkerState::gradient(const Model& x, std::size_t n) {
  steps_ = 1;
  batch_ = n;
  rule_ = nullptr;
  at_ = x;
  const double compute_s = run();
  at_ = Parameters();
  return Gradient{std::move(g_), x.version, n, compute_s};
}

Model WorkerState::local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule) {
  steps_ = steps;
  batch_ = n;
  rule_ = &rule;
  at_ = std::move(x);
  run();
  g_ = Parameters();
  return Model{std::move(at_), x.version};
}

}  // namespace motley
