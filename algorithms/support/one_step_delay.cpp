#include "algorithms/support/one_step_delay.hpp"

namespace motley {

Fields<OneStepDelay> OneStepDelay::fields() {
  Fields<OneStepDelay> f;
  f.add({.name = "warm_up",
         .doc = "iterations as in sync before the delay begins",
         .fallback = 200,
         .minimum = 0},
        &OneStepDelay::warm_up);
  f.add({.name = "local_rule",
         .doc = "sgd, or delay compensated: compensated (constant lambda) or adaptive",
         .fallback = "sgd",
         .choices = {"sgd", "compensated", "adaptive"}},
        &OneStepDelay::local_rule);
  f.add({.name = "local_step_size",
         .doc = "eta of the local step; auto: step_size",
         .fallback = "auto",
         .minimum = 0,
         .above_minimum = true,
         .word = "auto"},
        &OneStepDelay::local_step_size);
  f.add({.name = "lambda",
         .doc = "of the compensation; auto: 0.04 for compensated, 2 for adaptive",
         .fallback = "auto",
         .minimum = 0,
         .word = "auto"},
        &OneStepDelay::lambda);
  f.add({.name = "smoothing",
         .doc = "m of adaptive: weight of the past in the mean square of gradients",
         .fallback = 0.0,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true},
        &OneStepDelay::smoothing);
  return f;
}

Compensation OneStepDelay::compensation() const {
  const bool adaptive = local_rule == LocalRule::adaptive;
  return {adaptive, lambda.value_or(adaptive ? 2.0 : 0.04), smoothing};
}

void serve_with_one_step_delay(Server& me, UpdateRule rule) {
  Model x = me.initial_model();
  for (;;) {
    me.broadcast_model(x);
    const std::vector<Push> pushes = me.next_push_of_each();
    me.step(rule, x, me.mean_over_samples(pushes));
    me.finish_update(x, pushes);
  }
}

void work_one_step_ahead(Worker& me, const OneStepDelay& delay, const SgdSpec& sgd,
                         double updates_per_epoch, std::optional<std::size_t> correct_every) {
  const std::size_t batch = sgd.batch_size[me.rank()];
  std::size_t iteration = 0;
  const auto push = [&](const Gradient& g) {
    if (correct_every && ++iteration % *correct_every == 0)
      me.push_exactly(g);
    else
      me.push(g);
  };
  for (std::size_t t = 0; t < delay.warm_up; ++t) push(me.gradient(me.pull(), batch));
  UpdateSpec local_spec = sgd;
  local_spec.momentum = 0;
  if (delay.local_step_size) local_spec.step_size = *delay.local_step_size;
  UpdateRule local_rule(local_spec, updates_per_epoch);
  local_rule.skip(delay.warm_up);

  const Compensation compensation = delay.compensation();
  Parameters mean_square;  // of adaptive
  Model global = me.pull();
  Model before = global;  // the global model before it
  Model x = global;
  for (bool first = true;; first = false) {
    Gradient g = me.gradient(x, batch);
    push(g);
    if (!first) {
      before = std::move(global);
      global = me.pull();
    }
    if (delay.local_rule != OneStepDelay::LocalRule::sgd)
      compensation.apply(g, global, before, mean_square);
    x = global;
    me.step(local_rule, x, g);
  }
}

}  // namespace motley
