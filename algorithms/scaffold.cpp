/// SCAFFOLD: local steps whose drift towards a worker's own data is corrected by control variates.
///   S. P. Karimireddy et al.: SCAFFOLD: Stochastic Controlled Averaging for Federated Learning, ICML
///   2020, arXiv 1910.06378 (option II of the control variates) [code].
///
///   server:  loop: draw S of the N workers;  send (x, c) to these;  receive (dy_i, dc_i) from each
///                  x <- x + eta_g (1/S) sum dy_i;   c <- c + (1/N) sum dc_i
///   worker:  loop: receive (x, c);  y <- x;  H_i times: y <- y - eta (grad f(y; B samples) - c_i + c)
///                  c_i' <- c_i - c + (x - y) / (H_i eta)
///                  send (y - x, c_i' - c_i);   c_i <- c_i'
///
/// All control variates are 0 at first: the first round is FedAvg's. Two models' bytes travel each
/// way. The local rule is plain SGD: momentum would break the formula of c_i'. Under a schedule H_i eta
/// is the sum of the round's step sizes [inferred].
///
/// When a worker is gone: it is not drawn, and a round that it was drawn for goes on with the others
/// (drop), or waits for its return. Its c_i is lost: one that returns begins with 0.
#include "algorithms/support/client_rounds.hpp"
#include "algorithms/support/clients.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Scaffold : public Algorithm {
 public:
  struct Options : SgdSpec, ClientRounds {
    double server_step_size = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(ClientRounds::fields());
      f.add({.name = "server_step_size",
             .doc = "eta_g: how far the global model goes towards the mean of the workers'",
             .fallback = 1.0,
             .minimum = 0,
             .above_minimum = true},
            &Options::server_step_size);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.ClientRounds::check(facts, place);
    if (options.momentum > 0 || options.rule.kind != RuleSpec::Kind::sgd) {
      throw InputError(place,
                       "the local steps of scaffold are plain SGD: remove momentum and rule");
    }
  }

  Scaffold(const Options& options, const RunFacts& facts)
      : options_(options), rounds_(options, options.batch_size, facts) {}

  double gradients_per_update(std::size_t) const override { return rounds_.gradients(); }

  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    Model x = me.initial_model();
    if (x.more.empty()) x.more = {Parameters::zeros(x.size())};  // c
    const float to_c = 1.0F / static_cast<float>(me.workers());
    for (;;) {
      const std::vector<std::size_t> drawn = draw_clients(me, rounds_.drawn);
      for (const std::size_t worker : drawn) me.send_model(worker, x);
      const std::vector<Push> pushes = me.next_push_of(drawn);
      if (pushes.empty()) continue;
      const auto s = static_cast<double>(pushes.size());
      const auto to_x = static_cast<float>(options_.server_step_size / s);
      x += to_x * me.weighted_sum(pushes, std::vector<float>(pushes.size(), 1.0F));
      for (const Push& push : pushes) x.more[0] += to_c * push.more[0];
      me.finish_update(x, pushes);
    }
  }

  void worker(Worker& me) const override {
    const std::size_t steps = rounds_.steps.of(me);
    UpdateRule rule(options_, rounds_.steps_per_epoch);
    Parameters c_i;
    for (;;) {
      const Model x = me.pull();
      if (c_i.empty()) c_i = Parameters::zeros(x.size());
      Parameters shift = x.more[0];  // c - c_i
      shift -= 1.0F * c_i;
      const float way = sum_of_step_sizes(rule, steps);  // H eta
      const Trained y =
          *me.local_steps(x, steps, options_.batch_size[me.rank()], rule, Until{}, shift);
      Parameters moved = y;  // y - x
      moved -= 1.0F * x;
      Parameters change = Parameters::zeros(moved.size());  // c_i' - c_i
      change -= 1.0F * x.more[0];
      if (way > 0) change -= (1.0F / way) * moved;
      c_i += change;
      me.push_update(std::move(moved), y, {std::move(change)});
    }
  }

 private:
  static float sum_of_step_sizes(UpdateRule rule, std::size_t steps) {
    double sum = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      sum += rule.step_size();
      rule.skip(1);
    }
    return static_cast<float>(sum);
  }

  Options options_;
  PlannedRounds rounds_;
};

}  // namespace

AlgorithmInfo scaffold() {
  return describe<Scaffold>(
      "scaffold", "local steps corrected for each worker's own data",
      "Karimireddy et al., ICML 2020, arXiv 1910.06378", Listed{150},
      "a round goes on with those present; the next round draws from them; one "
      "that returns has lost its control variate",
      {.family = Family::federated,
       .needs = "a server",
       .different_data = true,
       .cost = "4 for each of the workers drawn"});
}

}  // namespace motley
