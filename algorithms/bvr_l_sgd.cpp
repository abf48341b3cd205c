/// BVR-L-SGD: local steps along a mean of large-batch gradients that is corrected at home.
///   T. Murata, T. Suzuki: Bias-Variance Reduced Local SGD for Less Heterogeneous Federated Learning,
///   ICML 2021, arXiv 2102.03198 [second hand].
///
///   server:  loop: send x to all;  v_0 <- mean of their gradients of M B samples at x
///                  draw a worker;  send (x, v_0) to it;   x <- its y
///   worker:  on x:         send grad f(x; M B samples)
///            on (x, v_0):  v <- v_0;  y' <- x;  y <- x - eta v;   H - 1 times, on the same B samples:
///                            v <- v + grad f(y) - grad f(y');   y' <- y;   y <- y - eta v
///                          send y
///
/// The paper lets every worker take the local steps and then draws whose are used; here it is drawn
/// before, and the others' steps, which nobody would see, are not made [inferred]. The path is the
/// same in law, but a round is faster than the paper's, which waits until all have taken their steps: it
/// takes the time of the worker drawn, not that of the slowest. Inferred is also that every round begins
/// with a large batch. A local step but the first takes two gradients. H = 1 is
/// SGD with gradients of all workers' large batches.
///
/// `compress` is of the large-batch gradients; the drawn worker's y is a model, and sent as it is.
///
/// When a worker is gone: the mean is over those present, and another one is drawn (drop), or its
/// return is waited for.
#include "sim/vocabulary/algorithm.hpp"
#include "sim/vocabulary/draw.hpp"

namespace motley {
namespace {

class BvrLSgd : public Algorithm {
 public:
  struct Options : SgdSpec {
    std::size_t local_steps = 0;
    std::size_t large_batch = 0;
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "local_steps",
             .doc = "H: steps of the worker drawn",
             .fallback = 8,
             .minimum = 1},
            &Options::local_steps);
      f.add({.name = "large_batch",
             .doc = "M: batches in a gradient at the beginning of a round",
             .fallback = 8,
             .minimum = 1},
            &Options::large_batch);
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts&, const Place& place) {
    if (options.momentum > 0 || options.rule.kind != RuleSpec::Kind::sgd) {
      throw InputError(place,
                       "the local steps of bvr_l_sgd are plain SGD: remove momentum and rule");
    }
  }

  BvrLSgd(const Options& options, const RunFacts& facts)
      : options_(options), steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }
  double gradients_per_update(std::size_t workers) const override {
    return static_cast<double>(workers * options_.large_batch + 2 * (options_.local_steps - 1));
  }
  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    Model x = me.initial_model();
    for (;;) {
      const std::vector<std::size_t> all = me.present();
      for (const std::size_t worker : all) me.send_model(worker, x);
      const std::vector<Push> gradients = me.next_push_of(all);
      if (gradients.empty()) continue;
      Model start = x;
      start.more = {me.mean(gradients)};  // v_0
      const std::vector<std::size_t> present = me.present();
      const std::vector<std::size_t> drawn = draw_some(me.random("clients"), present, 1);
      me.send_model(drawn.front(), start);
      std::vector<Push> used = me.next_push_of(drawn);
      if (used.empty()) continue;
      static_cast<Parameters&>(x) = used.front().model();
      used.insert(used.end(), gradients.begin(), gradients.end());
      me.finish_update(x, used);
    }
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    for (;;) {
      const Model x = me.pull();
      if (x.more.empty())
        me.push(large_gradient(me, x));
      else
        me.push_model(walk(me, x, rule));
    }
  }

 private:
  Gradient large_gradient(Worker& me, const Model& x) const {
    Gradient sum = me.gradient(x, options_.batch_size[me.rank()]);
    for (std::size_t i = 1; i < options_.large_batch; ++i) {
      const Gradient g = me.gradient(x, options_.batch_size[me.rank()]);
      sum += g;
      sum.samples += g.samples;
      sum.compute_s += g.compute_s;
    }
    sum *= 1.0F / static_cast<float>(options_.large_batch);
    return sum;
  }

  Trained walk(Worker& me, const Model& x, UpdateRule& rule) const {
    const std::size_t batch = options_.batch_size[me.rank()];
    Trained y{x, 0, 0};
    y.more.clear();
    Parameters v = x.more[0];
    Model before = y;
    me.step(rule, y, v);
    for (std::size_t step = 1; step < options_.local_steps; ++step) {
      const Gradient here = me.gradient(y, batch);
      me.draw_again();
      const Gradient there = me.gradient(before, batch);
      v += 1.0F * here;
      v -= 1.0F * there;
      before = y;
      me.step(rule, y, v);
      y.samples += here.samples;
      y.compute_s += here.compute_s + there.compute_s;
    }
    return y;
  }

  Options options_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo bvr_l_sgd() {
  return describe<BvrLSgd>(
      "bvr_l_sgd", "local steps of one worker along all workers' gradient, corrected on the way",
      "Murata and Suzuki, ICML 2021, arXiv 2102.03198", Listed{166},
      "the mean is over those present, of whom one is drawn",
      {.family = Family::federated,
       .needs = "a server",
       .different_data = true,
       .cost = "2 W + 3"});
}

}  // namespace motley
