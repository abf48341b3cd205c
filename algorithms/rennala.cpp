/// Rennala SGD: asynchronous batches. Everybody computes gradients at the same model, as many as it can,
/// until there are enough for one step.
///   A. Tyurin, P. Richtarik: Optimal Time Complexities of Parallel Stochastic Optimization Methods Under
///   a Fixed Computation Model, NeurIPS 2023, arXiv 2305.12387 [paper, code].
///
///   server:  loop: send x to all;  receive gradients, dropping those of an older x, until Bt have come
///                  x <- x - eta (1/Bt) sum g
///   worker:  loop: send grad f(x; B samples), x the newest model that has come;  go on at once
///
/// Theory takes Bt = max(1, ceil(s2 / eps)) for gradients of variance s2 and a squared gradient norm of
/// eps. `late`: what is under way when a new model comes is cancelled, or ended in vain (ignore), also what
/// the worker that closed the round has begun by then. A Bt of more than 1000 passes over the data is
/// refused. Several gradients of one worker count like those of several workers. Where batch sizes differ
/// the mean is over samples, as in sync [inferred].
///
/// With Bt = W, equal workers and free messages it is sync. Where messages are free a round takes
/// exactly the smallest t with sum_i floor(t / tau_i) >= Bt. Where they are not, a worker has at most one
/// push on its way and computes on behind it [inferred: the paper's messages are free].
///
/// When a worker is gone: nobody waits for it, and what it sent counts. One that returns is sent the
/// present model.
#include <algorithm>

#include "algorithms/support/gradients_at_newest.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Rennala : public Algorithm {
 public:
  struct Options : SgdSpec {
    std::optional<std::size_t> batch;
    LateWork late = LateWork::cancel;
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "batch",
             .doc = "Bt: how many gradients at one model make an update; auto: one per worker",
             .fallback = "auto",
             .minimum = 1,
             .word = "auto"},
            &Options::batch);
      f.add({.name = "late",
             .doc = "cancel (a new model stops the work under way) or ignore (late gradients are "
                    "completed and dropped)",
             .fallback = "cancel",
             .choices = {"cancel", "ignore"}},
            &Options::late);
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (facts.servers > 1) {
      throw InputError(place,
                       "rennala needs a single server: several could end a round with different "
                       "gradients");
    }
    if (options.batch) {
      check_round_can_end(static_cast<double>(*options.batch), options.batch_size, facts,
                          place / "batch");
    }
  }

  Rennala(const Options& options, const RunFacts& facts)
      : options_(options),
        batch_(options.batch.value_or(facts.workers)),
        updates_per_epoch_(
            facts.updates_per_epoch(options.batch_size.sum() * batch_, facts.workers)) {}

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }
  double gradients_per_update(std::size_t) const override { return static_cast<double>(batch_); }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    for (;;) {
      me.broadcast_model(x);
      std::vector<Push> round;
      while (round.size() < batch_) {
        Push push = me.next_push();
        if (me.staleness(push) > 0)
          me.discard(push);
        else
          round.push_back(std::move(push));
      }
      std::ranges::stable_sort(round, {}, &Push::sender);
      me.step(rule, x, me.mean_over_samples(round));
      me.finish_update(x, round);
    }
  }

  void worker(Worker& me) const override {
    push_gradients_at_newest(me, options_.batch_size[me.rank()], options_.late);
  }

 private:
  Options options_;
  std::size_t batch_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo rennala() {
  return describe<Rennala>(
      "rennala", "gradients at one model until there are enough for a step, from any workers",
      "Tyurin and Richtarik, NeurIPS 2023, arXiv 2305.12387", Listed{141},
      "no worker waits for it; one that returns is sent the present model",
      {.family = Family::asynchronous, .needs = "a server", .failures = true, .cost = "W + Bt"});
}

}  // namespace motley
