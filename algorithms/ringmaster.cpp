/// Ringmaster ASGD: asynchronous SGD that ignores gradients that are too late, and stops the workers
/// that compute them.
///   A. Maranjyan, A. Tyurin, P. Richtarik: Ringmaster ASGD: The First Asynchronous SGD with Optimal
///   Time Complexity, arXiv 2501.16168, 2025 [code].
///
///   server:  loop: receive g from any worker i, computed delta updates ago
///                  if delta < R:  x <- x - eta g     else: drop g
///                  send x to i
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// `stop` (as in the authors' code): a worker whose gradient under way has become R updates old is
/// sent the present model at once, and begins anew there. R = inf is async; R = 1 without stops is
/// sequential SGD by whoever arrives first.
///
/// When a worker is gone: nobody waits for it. One that returns is sent the present model.
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Ringmaster : public Algorithm {
 public:
  struct Options : SgdSpec {
    std::optional<std::uint64_t> delay_bound;
    bool stop = true;
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "delay_bound",
             .doc = "R: gradients at least this many updates old are dropped; inf or absent: none, "
                    "as in async",
             .minimum = 1,
             .word = "inf"},
            &Options::delay_bound);
      f.add({.name = "stop",
             .doc = "send the present model to workers whose gradient under way will be dropped",
             .fallback = true},
            &Options::stop);
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  static void check(const Options&, const RunFacts& facts, const Place& place) {
    if (facts.servers > 1) {
      throw InputError(
          place,
          "ringmaster needs a single server: parts of a gradient on several could be dropped "
          "by one and used by another");
    }
  }

  Ringmaster(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum(), facts.workers)) {}

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }
  double gradients_per_update(std::size_t) const override { return 1; }
  ActingBound bound() const override {
    return {options_.delay_bound ? "delay_bound" : "delay_bound of inf", ""};
  }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    std::vector<std::uint64_t> sent(me.workers(), 0);  // version of the model last sent to each
    me.broadcast_model(x);
    const auto send = [&](std::size_t worker) {
      sent[worker] = x.version;
      me.send_model(worker, x);
    };
    me.on_join(send);
    for (;;) {
      const Push push = me.next_push();
      const bool was_stopped = sent[push.sender] > push.version;  // it has a newer model coming
      if (is_late(me.staleness(push))) {
        me.discard(push);
        if (!was_stopped) send(push.sender);
        continue;
      }
      me.step(rule, x, push.gradient());
      me.finish_update(x, push);
      send(push.sender);
      for (std::size_t i = 0; options_.stop && i < me.workers(); ++i) {
        if (is_late(x.version - sent[i])) send(i);
      }
    }
  }

  void worker(Worker& me) const override {
    for (;;) {
      const Model x = me.pull_newest();
      std::optional<Gradient> g =
          me.gradient(x, options_.batch_size[me.rank()], {.newer_model = options_.stop});
      if (g) me.push(std::move(*g));
    }
  }

 private:
  bool is_late(std::uint64_t delay) const {
    return options_.delay_bound && delay >= *options_.delay_bound;
  }

  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo ringmaster() {
  return describe<Ringmaster>(
      "ringmaster",
      "asynchronous; gradients that are too late are dropped, or stopped while being computed",
      "Maranjyan et al. 2025, arXiv 2501.16168", Listed{140},
      "no worker waits for it; one that returns is sent the present model",
      {.family = Family::asynchronous,
       .needs = "a server",
       .failures = true,
       .cost = "2, and 1 for every worker stopped"});
}

}  // namespace motley
