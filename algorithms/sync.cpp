/// Synchronous SGD with a parameter server: SGD with batch W*B, one worker's share each.
///   J. Chen, X. Pan, R. Monga, S. Bengio, R. Jozefowicz: Revisiting Distributed Synchronous SGD,
///   arXiv 1604.00981, 2016 (the fully synchronous baseline there).
///
///   server:  loop: send x to all;  receive g_i from every worker;  x <- x - eta (1/W) sum_i g_i
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// When a worker is gone: the mean is over those present (drop), or the step waits for its return. One
/// that returns is sent the step's model.
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Sync : public Algorithm {
 public:
  struct Options : SgdSpec, ExchangeSpec {
    static Fields<Options> fields() {
      return Fields<Options>().include(SgdSpec::fields()).include(ExchangeSpec::fields());
    }
  };

  Sync(const Options& options, const RunFacts& facts)
      : options_(options), updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  ExchangeSpec exchange() const override { return options_; }

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
    for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
  }

 private:
  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo sync() {
  return describe<Sync>(
      "sync", "every worker's gradient at the same model, averaged by the server",
      "Chen et al. 2016, arXiv 1604.00981", Listed{10},
      "the mean is over those present; one that returns is sent the model of the step",
      {.family = Family::synchronous, .needs = "a server", .different_data = true, .cost = "2 W"});
}

}  // namespace motley
