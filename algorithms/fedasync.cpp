/// FedAsync: asynchronous local steps; the server mixes every model that comes into its own.
///   C. Xie, S. Koyejo, I. Gupta: Asynchronous Federated Optimization, arXiv 1903.03934, 2019 [paper].
///
///   server:  send x to `concurrency` workers;  loop: receive y from any of them, delta updates old
///                  a <- alpha s(delta);   x <- (1 - a) x + a y
///                  send x to a worker drawn from those that are idle
///   worker:  loop: receive x;  y <- x
///                  H times: y <- y - eta (grad f(y; B samples) + mu (y - x));   send y
///
/// s(delta) = 1, (1 + delta)^-a (a = `staleness_exponent`), or the hinge: 1 up to delta = b
/// (`hinge_after`), then 1 / (a (delta - b) + 1) (a = `hinge_slope`) [paper; the hinge's 10 and 4
/// recalled]. Who is sent the model next is drawn evenly from those that are idle [inferred]. The state of
/// the local rule, as momentum, stays with its worker from one visit to the next [inferred]. alpha = 1,
/// s = 1 and one worker is SGD by rounds of H steps.
///
/// When a worker is gone: another one is drawn in its place (drop), or its work is sent to it again when
/// it returns.
#include <cmath>

#include "algorithms/support/clients.hpp"
#include "algorithms/support/local_work.hpp"
#include "algorithms/support/participation.hpp"
#include "algorithms/support/proximal.hpp"
#include "algorithms/support/unused_option.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class FedAsync : public Algorithm {
 public:
  enum class Scaling { constant, polynomial, hinge };

  struct Options : SgdSpec, LocalWork {
    double alpha = 0;
    Scaling staleness_scaling = Scaling::polynomial;
    double staleness_exponent = 0.5;
    double hinge_slope = 10;
    double hinge_after = 4;
    double proximal = 0;
    Participation concurrency;

    static Fields<Options> fields() {
      const Options usual;
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(LocalWork::fields());
      f.add({.name = "alpha",
             .doc = "weight of a fresh model in the mixture",
             .fallback = 0.6,
             .minimum = 0,
             .maximum = 1,
             .above_minimum = true},
            &Options::alpha);
      f.add({.name = "staleness_scaling",
             .doc = "s(delta) of a model that is delta updates old: constant, polynomial ((1 + "
                    "delta)^-a) or hinge",
             .fallback = "polynomial",
             .choices = {"constant", "polynomial", "hinge"}},
            &Options::staleness_scaling);
      f.add({.name = "staleness_exponent",
             .doc = "a of polynomial",
             .fallback = usual.staleness_exponent,
             .minimum = 0},
            &Options::staleness_exponent);
      f.add(
          {.name = "hinge_slope", .doc = "a of hinge", .fallback = usual.hinge_slope, .minimum = 0},
          &Options::hinge_slope);
      f.add(
          {.name = "hinge_after", .doc = "b of hinge", .fallback = usual.hinge_after, .minimum = 0},
          &Options::hinge_after);
      f.add(proximal_field(), &Options::proximal);
      f.add(Participation::at_once(), &Options::concurrency);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.concurrency.check(facts.workers, place / "concurrency");
    options.LocalWork::check(place);
    check_proximal(options.proximal, options, place / "proximal");
    const Options usual;
    const Scaling scaling = options.staleness_scaling;
    refuse_unused(
        scaling != Scaling::polynomial && options.staleness_exponent != usual.staleness_exponent,
        place / "staleness_exponent", "staleness_scaling = polynomial");
    refuse_unused(scaling != Scaling::hinge && options.hinge_slope != usual.hinge_slope,
                  place / "hinge_slope", "staleness_scaling = hinge");
    refuse_unused(scaling != Scaling::hinge && options.hinge_after != usual.hinge_after,
                  place / "hinge_after", "staleness_scaling = hinge");
    if (facts.servers > 1) {
      throw InputError(place,
                       "fedasync needs a single server: several would draw different workers");
    }
  }

  FedAsync(const Options& options, const RunFacts& facts)
      : options_(options),
        local_(with_proximal(options, options.proximal)),
        steps_(options, options.batch_size, facts),
        at_work_(options.concurrency.of(facts.workers)),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  double gradients_per_update(std::size_t) const override { return steps_.mean(); }
  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    Model x = me.initial_model();
    ClientsAtWork clients(me, at_work_, x);
    for (;;) {
      const Push push = clients.next_push();
      const double a = options_.alpha * scale(static_cast<double>(me.staleness(push)));
      x *= static_cast<float>(1 - a);
      x += static_cast<float>(a) * push.model();
      me.finish_update(x, push);
    }
  }

  void worker(Worker& me) const override {
    const std::size_t steps = steps_.of(me);
    UpdateRule rule(local_, steps_per_epoch_);
    for (;;) {
      const Model x = me.pull();
      me.push_model(*me.local_steps(x, steps, options_.batch_size[me.rank()], rule, Until{},
                                    proximal_shift(x, options_.proximal)));
    }
  }

 private:
  double scale(double delta) const {
    switch (options_.staleness_scaling) {
      case Scaling::constant:
        return 1;
      case Scaling::polynomial:
        return std::pow(1 + delta, -options_.staleness_exponent);
      case Scaling::hinge:
        if (delta <= options_.hinge_after) return 1;
        return 1 / (options_.hinge_slope * (delta - options_.hinge_after) + 1);
    }
    return 1;
  }

  Options options_;
  UpdateSpec local_;
  LocalSteps steps_;
  std::size_t at_work_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo fedasync() {
  return describe<FedAsync>(
      "fedasync", "asynchronous local steps, every model mixed into the server's",
      "Xie et al. 2019, arXiv 1903.03934", Listed{162},
      "another one is drawn in its place; one that returns may be drawn again",
      {.family = Family::federated,
       .needs = "a server",
       .failures = true,
       .cost = "2, every H steps"});
}

}  // namespace motley
