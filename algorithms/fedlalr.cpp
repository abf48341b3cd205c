/// FedLALR: local AMSGrad, whose moments are averaged with the models.
///   H. Sun, L. Shen, S. Chen, J. Sun, J. Li, G. Sun, D. Tao: FedLALR: Client-Specific Adaptive
///   Learning Rates Achieve Linear Speedup for Non-IID Data, arXiv 2309.09719, 2023 [code].
///
///   server:  loop: draw S of the N workers;  send (x, m, u) to these
///                  (x, m, u) <- mean of theirs, by their data
///   worker:  loop: receive (x, m, u);   H_i times, g = grad f(x; B samples):
///                    m <- b1 m + (1 - b1) g;   v <- b2 v + (1 - b2) g*g;   u <- max(u, v)
///                    x <- x - eta m / (sqrt(u) + eps)
///                  send (x, m, u)
///
/// All moments are 0 at first. v stays with its worker [inferred]. Three models' bytes travel each way.
/// One worker is AMSGrad.
///
/// When a worker is gone: it is not drawn, and a round that it was drawn for goes on with the others
/// (drop), or waits for its return. Its v is lost: one that returns begins with 0.
#include "algorithms/support/client_rounds.hpp"
#include "algorithms/support/clients.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class FedLalr : public Algorithm {
 public:
  struct Options : SgdSpec, ClientRounds {
    double beta1 = 0;
    double beta2 = 0;
    double epsilon = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(ClientRounds::fields());
      f.add({.name = "beta1",
             .doc = "decay of the mean of gradients",
             .fallback = 0.9,
             .minimum = 0,
             .maximum = 1,
             .below_maximum = true},
            &Options::beta1);
      f.add({.name = "beta2",
             .doc = "decay of the mean of squared gradients",
             .fallback = 0.995,
             .minimum = 0,
             .maximum = 1,
             .below_maximum = true},
            &Options::beta2);
      f.add({.name = "epsilon",
             .doc = "added to the root of the mean square",
             .fallback = 1e-8,
             .minimum = 0,
             .above_minimum = true},
            &Options::epsilon);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.ClientRounds::check(facts, place);
    if (options.momentum > 0 || options.rule.kind != RuleSpec::Kind::sgd) {
      throw InputError(place, "the local steps of fedlalr are AMSGrad: remove momentum and rule");
    }
  }

  FedLalr(const Options& options, const RunFacts& facts)
      : options_(options), local_(options), rounds_(options, options.batch_size, facts) {
    local_.rule = {RuleSpec::Kind::amsgrad, options.beta1, options.beta2, options.epsilon};
  }

  double gradients_per_update(std::size_t) const override { return rounds_.gradients(); }
  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    Model x = me.initial_model();
    if (x.more.empty()) x.more.assign(2, Parameters::zeros(x.size()));  // m, u
    for (;;) {
      const std::vector<std::size_t> drawn = draw_clients(me, rounds_.drawn);
      for (const std::size_t worker : drawn) me.send_model(worker, x);
      const std::vector<Push> pushes = me.next_push_of(drawn);
      if (pushes.empty()) continue;
      std::vector<float> p = weights_by_data(pushes);
      for (float& share : p) share /= static_cast<float>(pushes.size());
      static_cast<Parameters&>(x) = me.weighted_sum(pushes, p);
      for (std::size_t moment = 0; moment < x.more.size(); ++moment) {
        x.more[moment] = Parameters::zeros(x.size());
        for (std::size_t i = 0; i < p.size(); ++i) {
          x.more[moment] += p[i] * pushes[i].more[moment];
        }
      }
      me.finish_update(x, pushes);
    }
  }

  void worker(Worker& me) const override {
    const std::size_t steps = rounds_.steps.of(me);
    UpdateRule rule(local_, rounds_.steps_per_epoch);
    for (;;) {
      const Model x = me.pull();
      rule.set_state(mean, x.more[0]);
      rule.set_state(largest_square, x.more[1]);
      const Trained y = me.local_steps(x, steps, options_.batch_size[me.rank()], rule);
      me.push_model(y, {rule.state(mean), rule.state(largest_square)});
    }
  }

 private:
  // Of the rule's state: m and u; between them is v.
  static constexpr std::size_t mean = 0;
  static constexpr std::size_t largest_square = 2;

  Options options_;
  UpdateSpec local_;
  PlannedRounds rounds_;
};

}  // namespace

AlgorithmInfo fedlalr() {
  return describe<FedLalr>(
      "fedlalr", "local AMSGrad, models and moments averaged by their data",
      "Sun et al. 2023, arXiv 2309.09719", Listed{164},
      "a round goes on with those present; the next round draws from them; one "
      "that returns has lost its v",
      {.family = Family::federated,
       .needs = "a server",
       .cost = "6 for each of the workers drawn"});
}

}  // namespace motley
