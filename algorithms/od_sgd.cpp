/// OD-SGD, one-step delay SGD: the next gradient is computed at a local guess of the model while
/// the global one is still on its way.
///   OD-SGD: One-step Delay Stochastic Gradient Descent for Distributed Training, arXiv 2005.06728.
///
///   server:  as sync, with its own optimiser:  W_{t+1} <- W_t - eta (1/W) sum_i g_i;  send it to all
///   worker:  `warm_up` iterations as in sync;  then at iteration t:
///            g_t <- grad f(w_t; B samples);  send g_t without waiting
///            wait for W_t, the global model after t updates, on its way since iteration t-1
///            w_{t+1} <- W_t - eta_loc g_t        (from the newest global copy, never accumulating)
///
/// local_rule: sgd as above; compensated replaces g by g + lambda g*g*(W_t - W_{t-1}), element by
/// element (DC-ASGD, arXiv 1609.08326); adaptive takes lambda_0 / sqrt(m MS + (1-m) g*g + 1e-7) for
/// lambda, where MS is the running mean m MS + (1-m) g*g of before; the published code has m = 0.
///
/// Taken where the text is silent: the local step follows the same schedule and weight decay as the
/// server's, without momentum, and at the first iteration after the warm-up, where there is no
/// W_{t-1} yet, the compensation is 0.
///
/// When a worker is gone: the mean is over those present (drop), or the step waits for its return. One
/// that returns is sent the step's model and warms up again.
#include "algorithms/support/compensation.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class OdSgd : public Algorithm {
 public:
  enum class LocalRule { sgd, compensated, adaptive };

  struct Options : SgdSpec {
    std::size_t warm_up = 0;
    LocalRule local_rule = LocalRule::sgd;
    std::optional<double> local_step_size;
    std::optional<double> lambda;
    double smoothing = 0;
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "warm_up",
             .doc = "iterations as in sync before the delay begins",
             .fallback = 200,
             .minimum = 0},
            &Options::warm_up);
      f.add({.name = "local_rule",
             .doc = "sgd, or delay compensated: compensated (constant lambda) or adaptive",
             .fallback = "sgd",
             .choices = {"sgd", "compensated", "adaptive"}},
            &Options::local_rule);
      f.add({.name = "local_step_size",
             .doc = "eta of the local step; auto: step_size",
             .fallback = "auto",
             .minimum = 0,
             .above_minimum = true,
             .word = "auto"},
            &Options::local_step_size);
      f.add({.name = "lambda",
             .doc = "of the compensation; auto: 0.04 for compensated, 2 for adaptive",
             .fallback = "auto",
             .minimum = 0,
             .word = "auto"},
            &Options::lambda);
      f.add({.name = "smoothing",
             .doc = "m of adaptive: weight of the past in the mean square of gradients",
             .fallback = 0.0,
             .minimum = 0,
             .maximum = 1,
             .below_maximum = true},
            &Options::smoothing);
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  OdSgd(const Options& options, const RunFacts& facts)
      : options_(options), updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {
    const bool adaptive = options.local_rule == LocalRule::adaptive;
    compensation_ = {adaptive, options.lambda.value_or(adaptive ? 2.0 : 0.04), options.smoothing};
  }

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    for (;;) {
      me.broadcast_model(x);
      const std::vector<Push> pushes = me.next_push_of_each();
      me.step(rule, x, me.mean_over_samples(pushes));
      me.finish_update(x, pushes);
    }
  }

  void worker(Worker& me) const override {
    for (std::size_t t = 0; t < options_.warm_up; ++t) {
      me.push(me.gradient(me.pull(), options_.batch_size[me.rank()]));
    }
    UpdateSpec local_spec = options_;
    local_spec.momentum = 0;
    if (options_.local_step_size) local_spec.step_size = *options_.local_step_size;
    UpdateRule local_rule(local_spec, updates_per_epoch_);
    local_rule.skip(options_.warm_up);

    Parameters mean_square;  // of adaptive
    Model global = me.pull();
    Model before = global;  // the global model before it
    Model x = global;
    for (bool first = true;; first = false) {
      Gradient g = me.gradient(x, options_.batch_size[me.rank()]);
      me.push(g);
      if (!first) {
        before = std::move(global);
        global = me.pull();
      }
      if (options_.local_rule != LocalRule::sgd)
        compensation_.apply(g, global, before, mean_square);
      x = global;
      me.step(local_rule, x, g);
    }
  }

 private:
  Options options_;
  double updates_per_epoch_;
  Compensation compensation_;
};

}  // namespace

AlgorithmInfo od_sgd() {
  return describe<OdSgd>(
      "od_sgd", "synchronous, one step ahead of the pull: communication behind computation",
      "OD-SGD 2020, arXiv 2005.06728", Listed{100},
      "the mean is over those present; one that returns is sent the model and warms up again",
      {.family = Family::synchronous, .needs = "a server", .different_data = true, .cost = "2 W"});
}

}  // namespace motley
