/// Local SGD: H steps at home, then everybody's models are averaged.
///   S. U. Stich: Local SGD Converges Fast and Communicates Little, ICLR 2019, arXiv 1805.09767.
///
///   worker:  loop: H times: x <- x - eta grad f(x; B samples);   x <- mean of all workers' x
///
/// `average` says by what way the models meet: by all-reduce, or through the server. Momentum
/// stays with its worker and is not averaged.
///
/// When a worker is gone: the mean is over those present (drop), or waits for its return. One that
/// returns gets the model from another worker, with that one's rule, or from the server.
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Local : public Algorithm {
 public:
  enum class Average { all_reduce, server };

  struct Options : SgdSpec, AllReduceSpec {
    std::size_t local_steps = 1;
    Average average = Average::all_reduce;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "local_steps",
             .doc = "H: steps between two averages",
             .fallback = 8,
             .minimum = 1},
            &Options::local_steps);
      f.add({.name = "average",
             .doc = "all_reduce (by the collective) or server",
             .fallback = "all_reduce",
             .choices = {"all_reduce", "server"}},
            &Options::average);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  Local(const Options& options, const RunFacts& facts)
      : options_(options), steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  bool needs_server() const override { return options_.average == Average::server; }
  ExchangeSpec exchange() const override { return options_; }

  double gradients_per_update(std::size_t workers) const override {
    return static_cast<double>(workers * options_.local_steps);
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Model x = me.initial_model();
    for (;;) {
      if (options_.average == Average::all_reduce) me.share(x, rule);
      const Trained y =
          me.local_steps(std::move(x), options_.local_steps, options_.batch_size[me.rank()], rule);
      if (options_.average == Average::server) {
        me.push_model(y);
        x = me.pull();
      } else {
        x = y;
        me.all_reduce_mean(x);
        if (me.leads()) me.finish_update(x);
      }
    }
  }

  void server(Server& me) const override {
    Model x = me.initial_model();
    if (me.is_resumed()) me.broadcast_model(x);
    for (;;) {
      const std::vector<Push> models = me.next_push_of_each();
      static_cast<motley::Parameters&>(x) = me.mean(models);
      me.finish_update(x, models);
      me.broadcast_model(x);
    }
  }

 private:
  Options options_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo local() {
  return describe<Local>(
      "local", "several steps at home, then all models are averaged",
      "Stich, ICLR 2019, arXiv 1805.09767", Listed{50},
      "the mean is over those present; one that returns gets the model from "
      "another worker or the server",
      {.family = Family::local, .different_data = true, .cost = "2 (W - 1), every H steps"});
}

}  // namespace motley
