#include "sim/engine/worker.hpp"

#include "sim/engine/worker_state.hpp"

namespace motley {

std::size_t Worker::rank() const {
  return state_.rank();
}

std::size_t Worker::workers() const {
  return state_.simulation().workers();
}

double Worker::clock() const {
  return state_.simulation().clock();
}

Model Worker::initial_model() const {
  return state_.simulation().initial_model();
}

Gradient Worker::gradient(const Model& x, std::size_t n) {
  return state_.gradient(x, n);
}

Model Worker::local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule) {
  return state_.local_steps(std::move(x), steps, n, rule);
}

void Worker::step(SgdRule& rule, Model& x, const Parameters& g) {
  Simulation& simulation = state_.simulation();
  simulation.step_memo().step(rule, x, g, simulation.pool());
}

void Worker::push(Gradient g, bool wants_model) {
  Simulation& simulation = state_.simulation();
  const std::size_t rank = state_.rank();
  const std::uint64_t bytes = g.empty() ? 0 : simulation.setup().message_bytes;
  simulation.network().send(rank, simulation.server_node(), bytes,
                            [&simulation, push = Push{rank, std::move(g), wants_model}]() mutable {
                              push.message = simulation.network().arriving();
                              const std::size_t from = push.worker;
                              simulation.server_inbox().put(simulation.clock(), from,
                                                            std::move(push));
                            });
}

void Worker::request_model() {
  push(Gradient{}, true);
}

Model Worker::pull() {
  state_.set_waits_for("a model from the server");
  Model x = state_.inbox().take();
  state_.set_waits_for("nothing");
  return x;
}

void Worker::all_reduce_mean(Parameters& v, double weight) {
  state_.set_waits_for("its neighbours in the all-reduce");
  v = state_.simulation().ring().mean(state_.rank(), v, weight);
  state_.set_waits_for("nothing");
}

void Worker::barrier() {
  state_.set_waits_for("the others at the barrier");
  state_.simulation().wait_at_barrier();
  state_.set_waits_for("nothing");
}

void Worker::finish_update(Model& x) {
  if (Timeline* timeline = state_.simulation().recorder().timeline()) {
    timeline->updated(rank(), clock(), clock(), {});
  }
  state_.simulation().finish_update(x);
}

}  // namespace motley
