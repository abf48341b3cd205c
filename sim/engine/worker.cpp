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

std::optional<Gradient> Worker::gradient_before(double deadline, const Model& x, std::size_t n) {
  return state_.gradient_before(deadline, x, n);
}

std::optional<Gradient> Worker::gradient_unless_newer(const Model& x, std::size_t n) {
  return state_.gradient_unless_newer(x, n);
}

double Worker::measure_speed(std::size_t steps, std::size_t n) {
  return state_.measure_speed(steps, n);
}

void Worker::draw_from_share(std::span<const double> shares) {
  state_.draw_from_share(shares);
}

void Worker::draw_next(std::vector<Sample> samples) {
  state_.draw_next(std::move(samples));
}

void Worker::keep_losses() {
  state_.keep_losses();
}

std::span<const Sample> Worker::drawn() const {
  return state_.drawn();
}

std::span<const float> Worker::drawn_losses() const {
  return state_.drawn_losses();
}

void Worker::push(Gradient g, bool wants_model) {
  state_.push(std::move(g), wants_model, 0);
}

void Worker::request_model() {
  state_.push(Gradient{}, true, 0);
}

void Worker::tell(double number) {
  state_.push(Gradient{}, false, number);
}

Model Worker::pull() {
  return state_.pull();
}

Model Worker::pull_newest() {
  Model x = state_.pull();
  while (state_.has_model()) x = state_.pull();
  return x;
}

void Worker::answer_with_gradient(std::size_t n) {
  if (state_.simulation().layers_travel_alone())
    state_.answer_by_layers(n);
  else
    push(gradient(pull(), n));
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

Notes Worker::gather(double number) {
  const Notes numbers = state_.simulation().put_down(state_.rank(), number);
  barrier();
  return numbers;
}

void Worker::finish_update(Model& x) {
  if (Timeline* timeline = state_.simulation().recorder().timeline()) {
    timeline->updated(rank(), clock(), clock(), {});
  }
  state_.simulation().finish_update(x);
}

void Worker::finish_own_update(const Model& x, std::uint64_t steps) {
  state_.simulation().finish_own_update(state_.rank(), x, steps);
}

void Worker::record_decision(const char* quantity, double value) {
  state_.simulation().recorder().decided(clock(), state_.rank(), quantity, value);
}

}  // namespace motley
