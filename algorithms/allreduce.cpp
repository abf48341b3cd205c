/// Synchronous SGD by all-reduce: every worker keeps the model, only gradients travel.
///   P. Patarasuk, X. Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations,
///   J. Parallel Distrib. Comput. 69(2), 2009 (the ring).
///
///   worker:  loop: g <- grad f(x; B samples);  g <- mean of all workers' g;  x <- x - eta g
///
/// When a worker is gone: the ring is formed anew of those present (drop), or waits for its return. One
/// that returns gets model and rule from another and takes part in the next round.
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class AllReduce : public Algorithm {
 public:
  struct Options : SgdSpec, GradientAllReduceSpec {
    static Fields<Options> fields() {
      return Fields<Options>().include(SgdSpec::fields()).include(GradientAllReduceSpec::fields());
    }
  };

  AllReduce(const Options& options, const RunFacts& facts)
      : options_(options), updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    for (;;) {
      me.share(x, rule);
      const Gradient g = me.averaged_gradient(x, options_.batch_size[me.rank()],
                                              options_.batch_size.weight(me.rank()));
      me.step(rule, x, g);
      if (me.leads()) me.finish_update(x);  // all replicas are equal
    }
  }

 private:
  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo allreduce() {
  return describe<AllReduce>(
      "allreduce", "every worker's gradient averaged by an all-reduce, no server",
      "Patarasuk and Yuan 2009, JPDC 69(2)", Listed{20},
      "the all-reduce is formed anew of those present; one that returns gets "
      "model and rule from another",
      {.family = Family::synchronous, .different_data = true, .cost = "2 (W - 1)"});
}

}  // namespace motley
