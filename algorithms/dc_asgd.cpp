/// DC-ASGD: asynchronous SGD whose server moves every late gradient to the present model.
///   S. Zheng et al.: Asynchronous Stochastic Gradient Descent with Delay Compensation, ICML 2017,
///   arXiv 1609.08326 [code: constant].
///
///   server:  loop: receive g from any worker i
///                  x <- x - eta (g + lambda g*g*(x - x_i));   x_i <- x;   send x to i
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// x_i is the model last sent to i; products are element by element. `mode` = adaptive takes
/// lambda / sqrt(v_i + 1e-7), v_i <- rho v_i + (1-rho) g*g, for lambda, by default with lambda 2 and
/// rho 0.95 [recalled]. lambda = 0 is async.
///
/// When a worker is gone: nobody waits for it. One that returns is sent the present model, its x_i.
#include "algorithms/support/compensation.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class DcAsgd : public Algorithm {
 public:
  enum class Mode { constant, adaptive };

  struct Options : SgdSpec, ExchangeSpec {
    Mode mode = Mode::constant;
    std::optional<double> lambda;
    double rho = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "mode",
             .doc = "of lambda: constant, or adaptive (over the root of the mean squared gradient)",
             .fallback = "constant",
             .choices = {"constant", "adaptive"}},
            &Options::mode);
      f.add({.name = "lambda",
             .doc = "of the compensation; auto: 0.04 for constant, 2 for adaptive",
             .fallback = "auto",
             .minimum = 0,
             .word = "auto"},
            &Options::lambda);
      f.add({.name = "rho",
             .doc = "adaptive: weight of the past in the mean squared gradient",
             .fallback = 0.95,
             .minimum = 0,
             .maximum = 1,
             .below_maximum = true},
            &Options::rho);
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  DcAsgd(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum(), facts.workers)) {
    const bool adaptive = options.mode == Mode::adaptive;
    compensation_ = {adaptive, options.lambda.value_or(adaptive ? 2.0 : 0.04), options.rho};
  }

  ExchangeSpec exchange() const override { return options_; }
  double gradients_per_update(std::size_t) const override { return 1; }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    std::vector<Parameters> sent(me.workers(), x);  // x_i
    std::vector<Parameters> mean_square(me.workers());
    me.broadcast_model(x);
    me.on_join([&](std::size_t i) {
      sent[i] = x;
      me.send_model(i, x);
    });
    for (;;) {
      const Push push = me.next_push();
      const std::size_t i = push.sender;
      Parameters g = push.gradient();
      compensation_.apply(g, x, sent[i], mean_square[i]);
      me.step(rule, x, g);
      me.finish_update(x, push);
      sent[i] = x;
      me.send_model(i, x);
    }
  }

  void worker(Worker& me) const override {
    for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
  }

 private:
  Options options_;
  double updates_per_epoch_;
  Compensation compensation_;
};

}  // namespace

AlgorithmInfo dc_asgd() {
  return describe<DcAsgd>(
      "dc_asgd", "asynchronous, late gradients moved to the present model",
      "Zheng et al., ICML 2017, arXiv 1609.08326", Listed{130},
      "no worker waits for it; one that returns is sent the present model",
      {.family = Family::asynchronous, .needs = "a server", .failures = true, .cost = "2"});
}

}  // namespace motley
