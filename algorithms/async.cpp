/// Asynchronous SGD with a parameter server (Downpour).
///   J. Dean et al.: Large Scale Distributed Deep Networks, NIPS 2012 [paper].
///
///   server:  loop: receive g from any worker i;  x <- x - eta g;  send x to i
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// Options change one thing each and have their own files: the scaling of late gradients
/// (support/staleness_scaling), updates of several gradients (support/softsync), and steps of a
/// worker's own between exchanges (support/own_steps).
///
/// When a worker is gone: nobody waits for it. One that returns is sent the present model. The number of
/// gradients of an n-softsync update stays floor(W/n).
#include "algorithms/support/own_steps.hpp"
#include "algorithms/support/softsync.hpp"
#include "algorithms/support/staleness_scaling.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Async : public Algorithm {
 public:
  struct Options : SgdSpec, OwnSteps, StalenessScaling, Softsync, ExchangeSpec {
    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(OwnSteps::fields());
      f.include(StalenessScaling::fields());
      f.include(Softsync::fields());
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.OwnSteps::check(options, place);
    options.Softsync::check(facts, place);
  }

  Async(const Options& options, const RunFacts& facts)
      : options_(options),
        pushes_per_update_(options.pushes_per_update(facts.workers)),
        updates_per_epoch_(facts.updates_per_epoch(
            options.batch_size.sum() * options.push_every * pushes_per_update_, facts.workers)),
        own_steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  ExchangeSpec exchange() const override { return options_; }

  double gradients_per_update(std::size_t) const override {
    return static_cast<double>(pushes_per_update_ * options_.push_every);
  }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    if (pushes_per_update_ > 1) serve_softsync(me, rule, options_, pushes_per_update_);
    if (options_.OwnSteps::any()) serve_own_steps(me, rule, options_);
    Model x = me.initial_model();
    me.broadcast_model(x);
    for (;;) {
      const Push push = me.next_push();
      me.step(rule, x, push.gradient(), options_.scale(me.staleness(push), me.workers()));
      me.finish_update(x, push);
      me.send_model(push.sender, x);
    }
  }

  void worker(Worker& me) const override {
    if (options_.OwnSteps::any()) {
      work_with_own_steps(me, options_, options_.batch_size[me.rank()],
                          {options_, own_steps_per_epoch_});
    }
    for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
  }

 private:
  Options options_;
  std::size_t pushes_per_update_;
  double updates_per_epoch_;
  double own_steps_per_epoch_;  // of one worker
};

}  // namespace

AlgorithmInfo async() {
  return describe<Async>(
      "async",
      "the server applies every gradient as it comes; staleness scaling and n-softsync are options",
      "Dean et al., NIPS 2012; options: Zhang et al. 2015, arXiv 1511.05950; Mishchenko et al. and "
      "Koloskova et al., NeurIPS 2022",
      Listed{30}, "no worker waits for it; one that returns is sent the present model",
      {.family = Family::asynchronous, .needs = "a server", .failures = true, .cost = "2"});
}

}  // namespace motley
