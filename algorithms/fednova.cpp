/// FedNova: FedAvg whose workers count alike however many steps they took.
///   J. Wang, Q. Liu, H. Liang, G. Joshi, H. V. Poor: Tackling the Objective Inconsistency Problem in
///   Heterogeneous Federated Optimization, NeurIPS 2020, arXiv 2007.07481 [code].
///
///   server:  loop: draw S of the N workers;  send x to these;  receive y_i - x from each
///                  x <- x + tau_eff sum p_i (y_i - x) / |a_i|,   tau_eff = sum p_i |a_i|
///   worker:  loop: receive x;  y <- x;  H_i times: y <- y - eta grad f(y; B samples);   send y - x
///
/// p_i ~ samples of i, over those drawn. |a_i| is the sum of what the gradients weigh in y_i - x: H_i of
/// plain SGD; with momentum rho, c <- rho c + 1, |a| <- |a| + c for every step. Momentum begins anew
/// in every round. A schedule changes the step size, not |a| [inferred]. Equal H_i is FedAvg, to
/// rounding.
///
/// When a worker is gone: it is not drawn, and a round that it was drawn for goes on with the others
/// (drop), or waits for its return.
#include "algorithms/support/client_rounds.hpp"
#include "algorithms/support/clients.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class FedNova : public Algorithm {
 public:
  struct Options : SgdSpec, ClientRounds {
    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(ClientRounds::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.ClientRounds::check(facts, place);
    if (options.rule.kind != RuleSpec::Kind::sgd || options.weight_decay > 0) {
      throw InputError(place,
                       "fednova knows what the gradients of SGD weigh, with momentum or "
                       "without: remove rule and weight_decay");
    }
  }

  FedNova(const Options& options, const RunFacts& facts)
      : options_(options), rounds_(options, options.batch_size, facts) {}

  double gradients_per_update(std::size_t) const override { return rounds_.gradients(); }
  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    Model x = me.initial_model();
    for (;;) {
      const std::vector<std::size_t> drawn = draw_clients(me, rounds_.drawn);
      for (const std::size_t worker : drawn) me.send_model(worker, x);
      const std::vector<Push> pushes = me.next_push_of(drawn);
      if (pushes.empty()) continue;
      const float share = 1.0F / static_cast<float>(pushes.size());
      std::vector<float> p = weights_by_data(pushes);
      double tau_eff = 0;
      for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] *= share;
        tau_eff += p[i] * weight_of_gradients(pushes[i]);
      }
      for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] *= static_cast<float>(tau_eff / weight_of_gradients(pushes[i]));
      }
      x += me.weighted_sum(pushes, p);
      me.finish_update(x, pushes);
    }
  }

  void worker(Worker& me) const override {
    const std::size_t steps = rounds_.steps.of(me);
    me.record_decision("local_steps", static_cast<double>(steps));
    for (std::size_t done = 0;; done += steps) {
      const Model x = me.pull();
      UpdateRule rule(options_, rounds_.steps_per_epoch);
      rule.skip(done);
      const Trained y = me.local_steps(x, steps, options_.batch_size[me.rank()], rule);
      Parameters moved = y;
      moved -= 1.0F * x;
      me.push_update(std::move(moved), y);
    }
  }

 private:
  /// |a_i| of what a worker pushed.
  double weight_of_gradients(const Push& push) const {
    const std::size_t steps = push.samples / options_.batch_size[push.sender];
    double a = 0;
    double c = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      c = options_.momentum * c + 1;
      a += c;
    }
    return a;
  }

  Options options_;
  PlannedRounds rounds_;
};

}  // namespace

AlgorithmInfo fednova() {
  return describe<FedNova>("fednova",
                           "FedAvg in which workers count alike however many steps they take",
                           "Wang et al., NeurIPS 2020, arXiv 2007.07481", Listed{146},
                           "a round goes on with those present; the next round draws from them",
                           {.family = Family::federated,
                            .needs = "a server",
                            .different_data = true,
                            .cost = "2 for each of the workers drawn"});
}

}  // namespace motley
