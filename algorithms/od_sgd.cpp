/// OD-SGD, one-step delay SGD: the next gradient is computed at a local guess of the model while
/// the global one is still on its way.
///   OD-SGD: One-step Delay Stochastic Gradient Descent for Distributed Training, arXiv 2005.06728.
///
///   server:  as sync, with its own optimiser:  W_{t+1} <- W_t - eta (1/W) sum_i g_i;  send it to all
///   worker:  `warm_up` iterations as in sync;  then at iteration t:
///            g_t <- grad f(w_t; B samples)
///            wait for W_t, the global model after t updates, on its way since iteration t-1;  send g_t
///            w_{t+1} <- W_t - eta_loc g_t        (from the newest global copy, never accumulating)
///
/// [code]: the released code sends and receives through one buffer, so that a push waits for the pull before it.
/// With S(t) the end of that wait, P(t) = S(t) + comm the arrival of W_{t+1} and comp the time of a gradient,
/// S(t+1) = max(S(t) + comp, P(t)): an iteration takes max(comp, comm). `in_flight` = 2 sends g_t before the
/// wait: max(comp, (comp + comm)/2), a faster algorithm, but another one.
/// It divides local gradients by B W, so that eta_loc is eta / W by default; its cifar.sh has eta 0.1, eta_loc
/// 0.5 / 8. Local momentum and a local schedule exist there, too; the server has momentum 0.95 in cifar.sh.
/// Layers travel alone there (overlap = layers, here an option as of sync): each waits for its own pull.
///
/// local_rule: sgd as above; compensated replaces g by g + lambda g*g*(W_t - W_{t-1}), element by
/// element (DC-ASGD, arXiv 1609.08326); adaptive takes lambda_0 / sqrt(m MS + (1-m) g*g + 1e-7) for
/// lambda, where MS is the running mean m MS + (1-m) g*g of before; the published code has m = 0, and its
/// kernels take lambda and weight decay in swapped places, which is not followed.
///
/// Taken where the sources are silent [inferred]: the local step has the server's weight decay and, unless it is
/// given its own, schedule, and no momentum; at the first iteration after the warm-up, where there is no
/// W_{t-1} yet, the compensation is 0. The bodies are in support/one_step_delay, with those of cd_sgd and
/// cp_sgd.
///
/// When a worker is gone: the mean is over those present (drop), or the step waits for its return. One
/// that returns is sent the step's model and warms up again.
#include "algorithms/support/one_step_delay.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class OdSgd : public Algorithm {
 public:
  struct Options : SgdSpec, OneStepDelay, ExchangeSpec {
    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(OneStepDelay::fields());
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  OdSgd(const Options& options, const RunFacts& facts)
      : options_(options), updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  ExchangeSpec exchange() const override { return options_; }

  void server(Server& me) const override {
    serve_with_one_step_delay(me, {options_, updates_per_epoch_});
  }

  void worker(Worker& me) const override {
    work_one_step_ahead(me, options_, options_, updates_per_epoch_);
  }

 private:
  Options options_;
  double updates_per_epoch_;
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
