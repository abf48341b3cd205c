/// DiLoCo: many local steps, then an outer step of momentum along the mean of what they did.
///   A. Douillard et al.: DiLoCo: Distributed Low-Communication Training of Language Models,
///   arXiv 2311.08105, 2023 [code].
///
///   worker:  loop: y <- x;  H times: y <- inner step of y with grad f(y; B samples)
///                  d <- mean of all workers' x - y
///                  m <- b m + d;   x <- x - eta_out (d + b m)
///
/// The inner rule is any (AdamW in the paper); its state stays with its worker. Models meet by
/// all-reduce. eta_out = 1, b = 0 and inner SGD is local SGD, to rounding.
///
/// When a worker is gone: the mean is over those present (drop), or waits for its return. One that
/// returns gets model, outer and inner rule from another.
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class DiLoCo : public Algorithm {
 public:
  struct Options : SgdSpec, AllReduceSpec {
    std::size_t local_steps = 0;
    double outer_step_size = 0;
    double outer_momentum = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "local_steps",
             .doc = "H: inner steps between two outer ones",
             .fallback = 50,
             .minimum = 1},
            &Options::local_steps);
      f.add({.name = "outer_step_size",
             .doc = "eta_out",
             .fallback = 0.7,
             .minimum = 0,
             .above_minimum = true},
            &Options::outer_step_size);
      f.add({.name = "outer_momentum",
             .doc = "b: Nesterov momentum of the outer step",
             .fallback = 0.9,
             .minimum = 0,
             .maximum = 1,
             .below_maximum = true},
            &Options::outer_momentum);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  DiLoCo(const Options& options, const RunFacts& facts)
      : options_(options), steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {
    outer_.step_size = options.outer_step_size;
    outer_.momentum = options.outer_momentum;
    outer_.rule.kind = RuleSpec::Kind::nesterov;
  }

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }
  double gradients_per_update(std::size_t workers) const override {
    return static_cast<double>(workers * options_.local_steps);
  }

  void worker(Worker& me) const override {
    UpdateRule inner(options_, steps_per_epoch_);
    UpdateRule outer(outer_, 1);
    Model x = me.initial_model();
    for (;;) {
      me.share(x, outer, inner);
      const Model y =
          me.local_steps(x, options_.local_steps, options_.batch_size[me.rank()], inner);
      Parameters d = x;
      d -= 1.0F * y;
      me.all_reduce_mean(d);
      me.step(outer, x, d);
      if (me.leads()) me.finish_update(x);  // all replicas are equal
    }
  }

 private:
  Options options_;
  double steps_per_epoch_;
  UpdateSpec outer_;
};

}  // namespace

AlgorithmInfo diloco() {
  return describe<DiLoCo>(
      "diloco", "many local steps, then an outer step with Nesterov momentum",
      "Douillard et al. 2023, arXiv 2311.08105", Listed{170},
      "the mean is over those present; one that returns gets model and rules from another");
}

}  // namespace motley
