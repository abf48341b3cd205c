/// FedBuff: asynchronous local steps; the server collects their results in a buffer of K.
///   J. Nguyen et al.: Federated Learning with Buffered Asynchronous Aggregation, AISTATS 2022,
///   arXiv 2106.06639 [code].
///
///   server:  send x to `concurrency` workers;  loop: receive d from any of them, delta updates old
///                  b <- b + s(delta) d;   after K of them: x <- x - eta_g b / K, b <- 0
///                  send x to a worker drawn from those that are idle
///   worker:  loop: receive x;  y <- x;  H times: y <- y - eta grad f(y; B samples);  send x - y
///
/// s(delta) = 1/sqrt(1 + delta), or 1. Differences are added to the present model; models are never
/// averaged. Who is sent the model next is drawn evenly from those that are idle [inferred]. The state of
/// the local rule, as momentum, stays with its worker from one visit to the next [inferred]. K = 1,
/// H = 1, s = 1 and all workers at once is async, to rounding.
///
/// When a worker is gone: another one is drawn in its place (drop), or its work is sent to it again when
/// it returns.
#include <cmath>

#include "algorithms/support/clients.hpp"
#include "algorithms/support/participation.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class FedBuff : public Algorithm {
 public:
  enum class Scaling { root, none };

  struct Options : SgdSpec {
    std::size_t local_steps = 0;
    std::size_t buffer = 0;
    double server_step_size = 0;
    Scaling staleness_scaling = Scaling::root;
    Participation concurrency;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "local_steps", .doc = "H: steps per visit", .fallback = 8, .minimum = 1},
            &Options::local_steps);
      f.add({.name = "buffer",
             .doc = "K: how many differences make an update",
             .fallback = 10,
             .minimum = 1},
            &Options::buffer);
      f.add({.name = "server_step_size",
             .doc = "eta_g, of the mean difference in the buffer",
             .fallback = 1.0,
             .minimum = 0,
             .above_minimum = true},
            &Options::server_step_size);
      f.add({.name = "staleness_scaling",
             .doc = "of a difference that is delta updates old: root (1/sqrt(1 + delta)) or none",
             .fallback = "root",
             .choices = {"root", "none"}},
            &Options::staleness_scaling);
      f.add(Participation::at_once(), &Options::concurrency);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.concurrency.check(facts.workers, place / "concurrency");
    if (facts.servers > 1) {
      throw InputError(place,
                       "fedbuff needs a single server: several would draw different workers");
    }
  }

  FedBuff(const Options& options, const RunFacts& facts)
      : options_(options),
        at_work_(options.concurrency.of(facts.workers)),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  double gradients_per_update(std::size_t) const override {
    return static_cast<double>(options_.buffer * options_.local_steps);
  }

  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    Model x = me.initial_model();
    ClientsAtWork clients(me, at_work_, x);
    std::vector<Push> buffer;
    std::vector<float> weights;
    for (;;) {
      buffer.push_back(clients.next_push());
      weights.push_back(scale(me.staleness(buffer.back())));
      if (buffer.size() < options_.buffer) continue;
      const auto eta = static_cast<float>(options_.server_step_size);
      x -= (eta / static_cast<float>(options_.buffer)) * me.weighted_sum(buffer, weights);
      me.finish_update(x, buffer);
      buffer.clear();
      weights.clear();
    }
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    for (;;) {
      const Model x = me.pull();
      const Trained y =
          me.local_steps(x, options_.local_steps, options_.batch_size[me.rank()], rule);
      Parameters difference = x;
      difference -= 1.0F * y;
      me.push_update(std::move(difference), y);
    }
  }

 private:
  float scale(std::uint64_t delta) const {
    if (options_.staleness_scaling == Scaling::none) return 1;
    return 1.0F / std::sqrt(1.0F + static_cast<float>(delta));
  }

  Options options_;
  std::size_t at_work_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo fedbuff() {
  return describe<FedBuff>("fedbuff", "asynchronous local steps, an update for every K differences",
                           "Nguyen et al., AISTATS 2022, arXiv 2106.06639", Listed{160},
                           "another one is drawn in its place; one that returns may be drawn again",
                           {.family = Family::federated,
                            .needs = "a server",
                            .failures = true,
                            .cost = "2 K, every H steps"});
}

}  // namespace motley
