#include "sim/engine/worker_state.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

WorkerState::WorkerState(Simulation& simulation, std::size_t rank)
    : simulation_(simulation),
      rank_(rank),
      sampler_(simulation.setup().partition,
               simulation.setup().scenario.data ? simulation.setup().scenario.data->order
                                                : DataSpec::Order::shuffled,
               simulation.setup().scenario.seed, rank) {}

double WorkerState::compute(std::size_t samples) {
  // When the run ends in the middle, this actor's stack goes and the task must be gone before.
  struct Withdraw {
    ThreadPool& pool;
    ThreadPool::Task& task;
    ~Withdraw() { pool.withdraw(task); }
  };
  samples_.resize(samples);
  sampler_.draw(samples_);
  ThreadPool& pool = simulation_.pool();
  pool.submit(task_);
  const Withdraw guard{pool, task_};

  WorkerAccount& account = simulation_.recorder().worker(rank_);
  const double start = simulation_.clock();
  account.start_computing(start);
  s4u::this_actor::execute(static_cast<double>(samples) * simulation_.setup().flops_per_sample);
  const double end = simulation_.clock();
  account.stop_computing(end);
  pool.finish(task_);
  return end - start;
}

void WorkerState::record(std::size_t gradients, std::size_t samples_each) {
  for (std::size_t i = 0; i < gradients; ++i) {
    simulation_.recorder().gradient_computed(rank_, samples_each, losses_[i]);
  }
  simulation_.stop_if_over();
}

Gradient WorkerState::gradient(const Model& x, std::size_t n) {
  const Problem& problem = simulation_.setup().problem;
  Gradient g{Parameters(x.size()), x.version, n, 0};
  losses_.resize(1);
  task_.set_work([this, &problem, from = x.values(), to = g.overwritable()](unsigned thread) {
    losses_[0] = problem.gradient(from, samples_, to, simulation_.workspace(thread));
  });
  g.compute_s = compute(n);
  record(1, n);
  return g;
}

Model WorkerState::local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule) {
  const Problem& problem = simulation_.setup().problem;
  Parameters scratch(x.size());
  rule.prepare(x.size());
  losses_.resize(steps);
  task_.set_work([this, &problem, &rule, steps, n, at = x.writable(),
                  g = scratch.overwritable()](unsigned thread) {
    for (std::size_t step = 0; step < steps; ++step) {
      const std::span<const Sample> batch(samples_.data() + step * n, n);
      losses_[step] = problem.gradient(at, batch, g, simulation_.workspace(thread));
      rule.step(at, g);
    }
  });
  compute(steps * n);
  record(steps, n);
  return x;
}

}  // namespace motley
