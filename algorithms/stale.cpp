/// Stale synchronous parallel SGD: asynchronous updates, but nobody runs too far ahead.
///   Q. Ho et al.: More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server,
///   NIPS 2013.
///
///   c_i = gradients of worker i that have reached the server;  c_min = min_i c_i
///   server:  loop: receive g from any worker i;  x <- x - eta g;  c_i <- c_i + 1;
///                  send x to every worker j that waits and has c_j - c_min <= s
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// s = 0: nobody starts its next gradient before everybody has finished this one. s = inf: async.
/// Grouping-SGD's code writes the same bound as s + 1.
///
/// When a worker is gone: c_min is over those present (drop), or the others wait when they are s ahead
/// of it. One that returns is sent the present model, and begins at c_min.
#include <map>

#include "algorithms/support/worker_clocks.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Stale : public Algorithm {
 public:
  struct Options : SgdSpec, ExchangeSpec {
    std::optional<std::uint64_t> staleness;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "staleness",
             .doc = "s: how many gradients a worker may be ahead of the slowest",
             .fallback = 3,
             .minimum = 0,
             .word = "inf"},
            &Options::staleness);
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  Stale(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum(), facts.workers)) {}

  ExchangeSpec exchange() const override { return options_; }
  ActingBound bound() const override {
    return {options_.staleness ? "staleness" : "staleness of inf", "held_back"};
  }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    WorkerClocks clocks(me.workers(), me.present());
    std::map<std::uint64_t, std::vector<std::size_t>> waiting;  // by clock
    bool held_back = false;
    me.broadcast_model(x);
    for (;;) {
      const Event event = *me.next_event();
      const std::size_t i = event.worker;
      std::uint64_t clock = 0;
      if (event.kind == Event::Kind::message) {
        me.step(rule, x, event.message.gradient());
        me.finish_update(x, event.message);
        clock = clocks.tick(i);
        waiting[clock].push_back(i);
      } else {  // it has left, or was sent x when it joined
        for (auto& [at, workers] : waiting) std::erase(workers, i);
        event.kind == Event::Kind::left ? clocks.leave(i) : clocks.join(i);
      }
      const std::uint64_t c_min = clocks.least();
      while (!waiting.empty() && may_go_on(waiting.begin()->first, c_min)) {
        for (const std::size_t worker : waiting.begin()->second) me.send_model(worker, x);
        waiting.erase(waiting.begin());
      }
      if (!waiting.empty() && clock > c_min && !held_back) {  // told once: the bound is active
        held_back = true;
        me.record_decision(i, "held_back", static_cast<double>(clock - c_min));
      }
    }
  }

  double gradients_per_update(std::size_t) const override { return 1; }

  void worker(Worker& me) const override {
    for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
  }

 private:
  bool may_go_on(std::uint64_t clock, std::uint64_t c_min) const {
    return !options_.staleness || clock <= c_min + *options_.staleness;
  }

  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo stale() {
  return describe<Stale>(
      "stale", "asynchronous, but no worker is more than s gradients ahead", "Ho et al., NIPS 2013",
      Listed{40},
      "the slowest is one of those present; one that returns is sent the model "
      "and begins at c_min",
      {.family = Family::asynchronous, .needs = "a server", .different_data = true, .cost = "2"});
}

}  // namespace motley
