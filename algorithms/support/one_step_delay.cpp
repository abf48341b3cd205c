#include "algorithms/support/one_step_delay.hpp"

#include <map>
#include <utility>

namespace motley {

Fields<OneStepDelay> OneStepDelay::fields() {
  Fields<OneStepDelay> f;
  f.add({.name = "warm_up",
         .doc = "iterations as in sync before the delay begins",
         .fallback = 200,
         .minimum = 0},
        &OneStepDelay::warm_up);
  f.add({.name = "in_flight",
         .doc = "rounds of messages at a time: 1 (a gradient is sent when the model before it has "
                "come) or 2 (it is sent at once)",
         .fallback = 1,
         .minimum = 1,
         .maximum = 2},
        &OneStepDelay::in_flight);
  f.add({.name = "local_rule",
         .doc = "sgd, or delay compensated: compensated (constant lambda) or adaptive",
         .fallback = "sgd",
         .choices = {"sgd", "compensated", "adaptive"}},
        &OneStepDelay::local_rule);
  f.add({.name = "local_step_size",
         .doc = "eta of the local step; auto: step_size / W, for W workers",
         .fallback = "auto",
         .minimum = 0,
         .above_minimum = true,
         .word = "auto"},
        &OneStepDelay::local_step_size);
  f.add({.name = "local_momentum",
         .doc = "of the local step",
         .fallback = 0.0,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true},
        &OneStepDelay::local_momentum);
  f.add({.name = "local_schedule",
         .doc = "of the local step size, counted in epochs; absent: schedule"},
        &OneStepDelay::local_schedule);
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

namespace {

/// What a worker knows of the global model, or of one part of it where layers travel alone, and how it
/// guesses the next.
class Guess {
 public:
  Guess(const OneStepDelay& delay, const UpdateRule& rule)
      : compensation_(delay.local_rule == OneStepDelay::LocalRule::sgd
                          ? std::nullopt
                          : std::optional(delay.compensation())),
        rule_(rule) {}

  const Model& global() const { return global_; }
  void set_global(const Model& now) {
    if (global_.empty()) global_ = now;  // there is none before it
    before_ = std::exchange(global_, now);
  }
  /// W_t - eta_loc g, after W_t was set.
  Model next(Worker& me, Parameters g) {
    if (compensation_) compensation_->apply(g, global_, before_, mean_square_);
    Model x = global_;
    me.step(rule_, x, g);
    return x;
  }

 private:
  std::optional<Compensation> compensation_;
  UpdateRule rule_;
  Model global_;
  Model before_;
  Parameters mean_square_;  // of adaptive
};

UpdateRule rule_of_guesses(const OneStepDelay& delay, const SgdSpec& sgd, std::size_t workers,
                           double updates_per_epoch) {
  UpdateSpec spec;
  spec.step_size = delay.local_step_size.value_or(sgd.step_size / static_cast<double>(workers));
  spec.momentum = delay.local_momentum;
  spec.weight_decay = sgd.weight_decay;
  spec.schedule = delay.local_schedule.value_or(sgd.schedule);
  UpdateRule rule(spec, updates_per_epoch);
  rule.skip(delay.warm_up);
  return rule;
}

}  // namespace

void work_one_step_ahead(Worker& me, const OneStepDelay& delay, const SgdSpec& sgd,
                         double updates_per_epoch, std::optional<std::size_t> correct_every) {
  const std::size_t batch = sgd.batch_size[me.rank()];
  const UpdateRule rule = rule_of_guesses(delay, sgd, me.workers(), updates_per_epoch);
  std::map<std::size_t, Guess> guesses;  // by where the part of the model begins
  Gradient g;
  Ahead how;
  for (std::size_t iteration = 0;; ++iteration) {
    const bool warm = iteration < delay.warm_up;
    const bool first = iteration == delay.warm_up;
    how.exactly = correct_every && (iteration + 1) % *correct_every == 0;
    how.pulls = iteration != delay.warm_up + 1;  // it has W_0, and goes on from it
    how.waits = delay.in_flight == 1 && !warm && !first;
    g = me.gradient_ahead(batch, how, [&](const Model* global, std::size_t begin) {
      if (warm) return *global;
      Guess& guess = guesses.try_emplace(begin, delay, rule).first->second;
      if (global != nullptr) guess.set_global(*global);
      if (first) return *global;
      const std::size_t size = guess.global().size();
      return guess.next(me, size == g.size() ? Parameters(g) : g.slice(begin, size));
    });
  }
}

}  // namespace motley
