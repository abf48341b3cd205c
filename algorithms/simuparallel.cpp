/// SimuParallelSGD: everybody trains alone, one average at the end.
///   M. Zinkevich, M. Weimer, A. Smola, L. Li: Parallelized Stochastic Gradient Descent, NIPS 2010.
///
///   worker:  x <- x_0;  H times: x <- x - eta grad f(x; B samples);   x <- (1/W) sum_i x_i
///
/// The same number H of steps for all: the slowest worker decides the time. The step size is fixed
/// in the paper; a schedule given here counts a worker's own steps, of which N/(B W) make an epoch.
/// H is that of one epoch unless it is given, as wp_sgd's rounds are. `rounds` above 1 goes on from
/// the average. The run ends with the last average.
///
/// When a worker is gone: the average is over those present (drop), or waits for its return. What it
/// has trained is lost: one that returns begins the round that another is in, with that one's model at
/// its beginning.
#include <algorithm>
#include <cmath>

#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class SimuParallel : public Algorithm {
 public:
  struct Options : SgdSpec, AllReduceSpec {
    std::optional<std::size_t> local_steps;
    std::optional<std::size_t> rounds;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "local_steps",
             .doc = "H: steps of each worker before the average; auto: all together make one epoch",
             .fallback = "auto",
             .minimum = 1,
             .word = "auto"},
            &Options::local_steps);
      f.add({.name = "rounds",
             .doc = "how many times; inf: until the run is stopped",
             .fallback = 1,
             .minimum = 1,
             .word = "inf"},
            &Options::rounds);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  SimuParallel(const Options& options, const RunFacts& facts)
      : options_(options),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())),
        local_steps_(options.local_steps.value_or(
            std::max<std::size_t>(1, static_cast<std::size_t>(std::round(steps_per_epoch_))))) {}

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Model x = me.initial_model();
    for (std::size_t round = 0; !options_.rounds || round < *options_.rounds; ++round) {
      me.share(x, rule, round);
      for (std::size_t step = 1; step <= local_steps_; ++step) {
        const Gradient g = me.gradient(x, options_.batch_size[me.rank()]);
        me.step(rule, x, g);
        me.finish_own_update(x, step);
      }
      me.all_reduce_mean(x);
      if (me.leads()) me.finish_update(x);
      me.barrier();
    }
  }

 private:
  Options options_;
  double steps_per_epoch_;
  std::size_t local_steps_;
};

}  // namespace

AlgorithmInfo simuparallel() {
  return describe<SimuParallel>(
      "simuparallel", "every worker trains alone for equally many steps, then one average",
      "Zinkevich et al., NIPS 2010", Listed{70},
      "the average is over those present; one that returns begins the round anew",
      {.family = Family::local, .cost = "none; 2 (W - 1) for the average at the end"});
}

}  // namespace motley
