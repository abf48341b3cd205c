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
#include <map>

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
    return options_.staleness ? ActingBound{"staleness", "held_back"} : ActingBound{};
  }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    std::vector<std::uint64_t> clocks(me.workers(), 0);
    std::map<std::uint64_t, std::size_t> workers_at = {{0, me.workers()}};  // by clock
    std::map<std::uint64_t, std::vector<std::size_t>> waiting;              // by clock
    bool held_back = false;
    me.broadcast_model(x);
    for (;;) {
      const Push push = me.next_push();
      me.step(rule, x, push.gradient());
      me.finish_update(x, push);

      std::uint64_t& clock = clocks[push.sender];
      if (--workers_at[clock] == 0) workers_at.erase(clock);
      ++workers_at[++clock];
      waiting[clock].push_back(push.sender);

      const std::uint64_t c_min = workers_at.begin()->first;
      while (!waiting.empty() && may_go_on(waiting.begin()->first, c_min)) {
        for (const std::size_t worker : waiting.begin()->second) me.send_model(worker, x);
        waiting.erase(waiting.begin());
      }
      if (!waiting.empty() && !held_back) {  // told once: the bound is active
        held_back = true;
        me.record_decision(push.sender, "held_back", static_cast<double>(clock - c_min));
      }
    }
  }

  double gradients_per_update(std::size_t) const override { return 1; }

  void worker(Worker& me) const override {
    for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
  }

 private:
  bool may_go_on(std::uint64_t clock, std::uint64_t c_min) const {
    return !options_.staleness || clock - c_min <= *options_.staleness;
  }

  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo stale() {
  return describe<Stale>("stale", "asynchronous, but nobody is more than s gradients ahead",
                         "Ho et al., NIPS 2013", Listed{40});
}

}  // namespace motley
