/// FedAvg: some workers are drawn, take steps at home, and their models are averaged by their data.
///   B. McMahan et al.: Communication-Efficient Learning of Deep Networks from Decentralized Data,
///   AISTATS 2017, arXiv 1602.05629 [paper].
///
///   server:  loop: draw S of the N workers;  send x to these;  receive y_i - x from each
///                  x <- x + eta_g sum p_i (y_i - x),   p_i ~ samples of i, over those drawn
///   worker:  loop: receive x;  y <- x
///                  H_i times: y <- y - eta (grad f(y; B samples) + mu (y - x));   send y - x
///
/// eta_g = 1 is the average of the models. `proximal` mu and `late: partial` are FedProx (T. Li et al.,
/// MLSys 2020, arXiv 1812.06127 [paper]); `server_rule` is FedAvgM, FedAdam or FedYogi.
///
/// `deadline`: seconds from the sending of the models. With `late: drop` the server goes on then with
/// those that have come; who is not done gives up, and what is under way is discarded. With `late:
/// partial` each stops at that moment, after one step at least [inferred], and all are waited for. A
/// deadline that nobody can meet is refused; a run in which nobody meets it for 1000 rounds in a row ends. The
/// rule of the local steps, its momentum included, begins anew in every round but for its schedule
/// [inferred]: a worker keeps nothing. Everybody, H = 1 and equal data is sync, to rounding; mu = 0
/// is plain FedAvg.
///
/// When a worker is gone: it is not drawn, and a round that it was drawn for goes on with the others
/// (drop), or waits for its return, though not beyond a deadline.
#include <algorithm>

#include "algorithms/support/client_rounds.hpp"
#include "algorithms/support/clients.hpp"
#include "algorithms/support/proximal.hpp"
#include "algorithms/support/server_rule.hpp"
#include "algorithms/support/unused_option.hpp"
#include "algorithms/support/vain_rounds.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class FedAvg : public Algorithm {
 public:
  enum class Late { drop, partial };

  struct Options : SgdSpec, ClientRounds, ServerRuleSpec {
    double proximal = 0;
    std::optional<double> deadline_s;
    Late late = Late::drop;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.include(ClientRounds::fields());
      f.add(proximal_field(), &Options::proximal);
      f.add({.name = "deadline",
             .doc = "of a round, counted from when the models are sent; absent: wait for all",
             .dimension = Dimension::time,
             .minimum = 0,
             .above_minimum = true},
            &Options::deadline_s);
      f.add({.name = "late",
             .doc = "what happens to workers still computing at the deadline: drop, or partial "
                    "(they send what they have)",
             .fallback = "drop",
             .choices = {"drop", "partial"}},
            &Options::late);
      f.include(ServerRuleSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.ClientRounds::check(facts, place);
    options.ServerRuleSpec::check(place);
    refuse_unused(!options.deadline_s && options.late != Late::drop, place / "late",
                  "a round with a deadline");
    check_proximal(options.proximal, options, place / "proximal");
    if (options.deadline_s && facts.servers > 1) {
      throw InputError(place / "deadline",
                       "needs a single server: parts of a model on several could be late for one "
                       "and in time for another");
    }
    if (options.deadline_s && options.late == Late::drop && !facts.may_be_faster) {
      PlannedRounds(options, options.batch_size, facts)
          .check_deadline(*options.deadline_s, options.batch_size, facts, place / "deadline");
    }
  }

  FedAvg(const Options& options, const RunFacts& facts)
      : options_(options),
        local_(with_proximal(options, options.proximal)),
        rounds_(options, options.batch_size, facts) {}

  double gradients_per_update(std::size_t) const override { return rounds_.gradients(); }
  ActingBound bound() const override {
    return {options_.deadline_s ? "deadline" : "", "partial_steps"};
  }
  bool workers_begin_with_a_model() const override { return true; }

  void server(Server& me) const override {
    ServerRule rule(options_);
    VainRounds in_vain("no worker was done before the deadline");
    Model x = me.initial_model();
    for (;;) {
      const std::vector<std::size_t> drawn = draw_clients(me, rounds_.drawn);
      const double until = me.clock() + options_.deadline_s.value_or(forever);
      if (options_.deadline_s) x.notes = std::make_shared<const std::vector<double>>(1, until);
      for (const std::size_t worker : drawn) me.send_model(worker, x);
      const std::vector<Push> pushes = options_.deadline_s && options_.late == Late::drop
                                           ? those_in_time(me, x, drawn, until)
                                           : me.next_push_of(drawn);
      in_vain.count(pushes.size());
      if (pushes.empty()) continue;
      rule.step(x, me.weighted_sum(pushes, weights_by_data(pushes)),
                1.0 / static_cast<double>(pushes.size()));
      me.finish_update(x, pushes);
    }
  }

  void worker(Worker& me) const override {
    const std::size_t steps = rounds_.steps.of(me);
    me.record_decision("local_steps", static_cast<double>(steps));
    std::size_t done = 0;
    for (;;) {
      const Model x = me.pull_newest();
      UpdateRule rule(local_, rounds_.steps_per_epoch);
      rule.skip(done);
      const std::optional<Trained> y = trained(me, x, steps, rule);
      if (!y) continue;
      done += y->samples / options_.batch_size[me.rank()];
      Parameters moved = *y;
      moved -= 1.0F * x;
      me.push_update(std::move(moved), *y);
    }
  }

 private:
  /// Of those drawn, what they pushed before the deadline; late things of earlier rounds are discarded.
  static std::vector<Push> those_in_time(Server& me, const Model& x,
                                         std::vector<std::size_t> awaited, double until) {
    std::vector<Push> pushes;
    while (!awaited.empty()) {
      std::optional<Push> push = me.next_push_before(until);
      if (!push) break;
      if (push->version == x.version && std::erase(awaited, push->sender) > 0)
        pushes.push_back(std::move(*push));
      else
        me.discard(*push);
    }
    std::ranges::sort(pushes, {}, &Push::sender);
    return pushes;
  }

  /// After all steps, or as many as the deadline allows; nothing when that is too late.
  std::optional<Trained> trained(Worker& me, const Model& x, std::size_t steps,
                                 UpdateRule& rule) const {
    const std::size_t batch = options_.batch_size[me.rank()];
    const Parameters shift = proximal_shift(x, options_.proximal);
    if (!options_.deadline_s) return me.local_steps(x, steps, batch, rule, Until{}, shift);
    const Until until{.deadline = x.notes->front()};
    if (options_.late == Late::drop) return me.local_steps(x, steps, batch, rule, until, shift);
    Trained y = *me.local_steps(x, 1, batch, rule, Until{}, shift);
    for (std::size_t step = 1; step < steps; ++step) {
      const std::optional<Trained> next = me.local_steps(y, 1, batch, rule, until, shift);
      if (!next) {
        me.record_decision("partial_steps", static_cast<double>(step));
        break;
      }
      y = Trained{*next, y.samples + next->samples, y.compute_s + next->compute_s};
    }
    return y;
  }

  Options options_;
  UpdateSpec local_;
  PlannedRounds rounds_;
};

}  // namespace

AlgorithmInfo fedavg() {
  return describe<FedAvg>(
      "fedavg", "local steps of workers drawn each round, averaged by their data",
      "McMahan et al., AISTATS 2017, arXiv 1602.05629; options: FedProx, arXiv 1812.06127; "
      "FedAvgM, arXiv 1909.06335; FedAdam and FedYogi, arXiv 2003.00295",
      Listed{145}, "a round goes on with those present; the next round draws from them",
      {.family = Family::federated,
       .needs = "a server",
       .different_data = true,
       .cost = "2 for each of the workers drawn"});
}

}  // namespace motley
