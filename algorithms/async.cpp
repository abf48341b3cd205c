/// Asynchronous SGD with a parameter server (Downpour).
///   J. Dean et al.: Large Scale Distributed Deep Networks, NIPS 2012.
///   W. Zhang, S. Gupta, X. Lian, J. Liu: Staleness-aware Async-SGD for Distributed Deep Learning,
///   arXiv 1511.05950, 2015 (staleness_scaling, softsync).
///
///   server:  loop: receive g from any worker i;  x <- x - eta g;  send x to i
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// A gradient of staleness delta is scaled by 1 (none), 1/max(1, delta) (inverse) or W/max(W,
/// delta) (adaptive). With softsync = n the server takes the mean of floor(W/n) gradients for one
/// update and answers every push at once with the model it has. With fetch_every, push_every above
/// 1 a worker takes steps of its own between fetches and pushes the sum of its gradients since the
/// last push.
#include "algorithms/catalog.hpp"

namespace motley {
namespace {

class Async : public Algorithm {
 public:
  enum class Scaling { none, inverse, adaptive };

  struct Options : SgdSpec, ExchangeSpec {
    std::size_t fetch_every = 1;
    std::size_t push_every = 1;
    Scaling staleness_scaling = Scaling::none;
    std::optional<std::size_t> softsync;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "fetch_every",
             .doc = "gradients between two fetches of the model",
             .fallback = 1,
             .minimum = 1},
            &Options::fetch_every);
      f.add({.name = "push_every",
             .doc = "gradients summed into one push",
             .fallback = 1,
             .minimum = 1},
            &Options::push_every);
      f.add({.name = "staleness_scaling",
             .doc = "of a gradient that is delta updates old: none, inverse (1/max(1, delta)) or "
                    "adaptive "
                    "(W/max(W, delta))",
             .fallback = "none",
             .choices = {"none", "inverse", "adaptive"}},
            &Options::staleness_scaling);
      f.add({.name = "softsync",
             .doc = "n: one update of the mean of floor(W/n) gradients; absent: of every gradient",
             .minimum = 1},
            &Options::softsync);
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (options.overlap == ExchangeSpec::Overlap::layers &&
        (options.fetch_every > 1 || options.push_every > 1)) {
      throw InputError(place / "overlap",
                       "layers cannot go with fetch_every or push_every above 1: a worker then has "
                       "steps of its own between two exchanges");
    }
    if (options.softsync && *options.softsync > facts.workers) {
      throw InputError(place / "softsync",
                       "must be at most the number of workers, " + std::to_string(facts.workers),
                       *options.softsync);
    }
  }

  Async(const Options& options, const RunFacts& facts)
      : options_(options),
        workers_(facts.workers),
        pushes_per_update_(options.softsync ? facts.workers / *options.softsync : 1),
        updates_per_epoch_(
            facts.updates_per_epoch(options.batch_size * options.push_every * pushes_per_update_)),
        own_steps_per_epoch_(facts.updates_per_epoch(options.batch_size * facts.workers)) {}

  ExchangeSpec exchange() const override { return options_; }

  void server(Server& me) const override {
    if (pushes_per_update_ > 1) softsync_server(me);
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    me.broadcast_model(x);
    for (;;) {
      const Push push = me.next_push();
      if (push.kind == "gradient") {
        me.step(rule, x, push.gradient(), scale(me.staleness(push)));
        me.finish_update(x, push);
      }
      if (push.wants_model) me.send_model(push.sender, x);
    }
  }

  double gradients_per_update(std::size_t) const override {
    return static_cast<double>(pushes_per_update_ * options_.push_every);
  }

  void worker(Worker& me) const override {
    if (options_.fetch_every > 1 || options_.push_every > 1) worker_with_own_steps(me);
    for (;;) me.answer_with_gradient(options_.batch_size);
  }

 private:
  float scale(std::uint64_t delta) const {
    const auto staleness = static_cast<float>(delta);
    const auto workers = static_cast<float>(workers_);
    switch (options_.staleness_scaling) {
      case Scaling::none:
        return 1;
      case Scaling::inverse:
        return 1 / std::max(1.0F, staleness);
      case Scaling::adaptive:
        return workers / std::max(workers, staleness);
    }
    return 1;
  }

  [[noreturn]] void softsync_server(Server& me) const {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    std::vector<Push> pending;
    std::vector<float> weights;
    me.broadcast_model(x);
    for (;;) {
      const Push push = me.next_push();
      if (push.kind == "gradient") pending.push_back(push);
      if (pending.size() == pushes_per_update_) {
        weights.clear();
        for (const Push& p : pending) {
          weights.push_back(scale(me.staleness(p)) / static_cast<float>(pending.size()));
        }
        me.step(rule, x, me.weighted_sum(pending, weights));
        me.finish_update(x, pending);
        pending.clear();
      }
      if (push.wants_model) me.send_model(push.sender, x);
    }
  }

  [[noreturn]] void worker_with_own_steps(Worker& me) const {
    Model x;
    Gradient sum;
    UpdateRule own_rule(options_, own_steps_per_epoch_);
    for (std::size_t t = 0;; ++t) {
      if (t % options_.fetch_every == 0) x = me.pull();
      Gradient g = me.gradient(x, options_.batch_size);
      me.step(own_rule, x, g);
      if (t % options_.push_every == 0)
        sum = std::move(g);
      else
        add(sum, g);
      const bool fetch = (t + 1) % options_.fetch_every == 0;
      if ((t + 1) % options_.push_every == 0)
        me.push(std::move(sum), fetch);
      else if (fetch)
        me.request_model();
    }
  }

  static void add(Gradient& sum, const Gradient& g) {
    sum += g;
    sum.samples += g.samples;
    sum.compute_s += g.compute_s;
  }

  Options options_;
  std::size_t workers_;
  std::size_t pushes_per_update_;
  double updates_per_epoch_;
  double own_steps_per_epoch_;  // of one worker
};

}  // namespace

AlgorithmInfo async_sgd() {
  return describe<Async>(
      "async",
      "the server applies every gradient as it comes; staleness scaling and n-softsync are options",
      "Dean et al., NIPS 2012; Zhang et al. 2015, arXiv 1511.05950");
}

}  // namespace motley
