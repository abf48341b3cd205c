/// Asynchronous SGD that gives up on gradients that come too late; an example, see extending.md.
///
///   server:  loop: receive g from any worker i;  if g is at most P updates old: x <- x - eta g;
///            send x to i
///   worker:  loop: receive x;  send grad f(x; B samples)
#include "algorithms/catalog.hpp"

namespace motley {
namespace {

class Patient : public Algorithm {
 public:
  struct Options : SgdSpec {
    std::size_t patience = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "patience",
             .doc = "P: gradients more than this many updates old are dropped",
             .fallback = 10,
             .minimum = 0},
            &Options::patience);
      return f;
    }
  };

  Patient(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum(), facts.workers)) {}

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    me.broadcast_model(x);
    for (;;) {
      const Push push = me.next_push();
      if (me.staleness(push) > options_.patience) {
        me.discard(push);
      } else {
        me.step(rule, x, push.gradient());
        me.finish_update(x, push);
      }
      me.send_model(push.sender, x);
    }
  }

  void worker(Worker& me) const override {
    for (;;) me.push(me.gradient(me.pull(), options_.batch_size[me.rank()]));
  }

  double gradients_per_update(std::size_t) const override { return 1; }

 private:
  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo patient() {
  return describe<Patient>("patient", "asynchronous, gradients that come too late are dropped",
                           "an example");
}

}  // namespace motley
