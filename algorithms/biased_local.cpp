/// Biased local SGD: fast workers take more steps between averages, slow ones train on the samples
/// that are learnt worst.
///   Biased Local SGD for Efficient Deep Learning on Heterogeneous Systems, arXiv 2508.08540, 2025.
///
///   tau_i = max(1, round(tau_fast v_i / v_fast)), so that all reach the average together
///   worker i:  loop: tau_i times: x <- x - eta grad f(x; B samples);   x <- sum_j p_j x_j
///   data:      dealt anew every D = floor(N / (B sum_i tau_i)) rounds. The slow workers' samples,
///              K per deal, are those with the largest score out of rho K candidates; a sample's
///              score is its latest training loss, infinite before it is seen. The fast workers get slices of
///              a fresh permutation of everything.
///
/// As in the published code [code]: plain average whatever tau_i (uniform; steps has p_i ~ tau_i,
/// slow_share a given total for the slow ones); momentum stays with its worker and is never
/// averaged; an epoch is N / (B W tau_fast) rounds, by which the schedule is counted (there rounded
/// down; here not, so that equal workers count as `local` does). Between processes the least of their scores
/// becomes everybody's (`scores: minimum`, see support/scores; that it replaces their own is [inferred]), which
/// is an all-reduce of N floats before every deal but the first. `latest` takes the latest loss of all.
///
/// Taken here [inferred]: v_i are the speeds of the cluster's description, or measured before the first
/// round by the time of so many gradients (`speeds: measured`); `local_steps` by class gives tau_i instead.
/// Scores are not exchanged where nobody is slow, for nobody asks. With bias_sampling = false everybody draws in
/// its own order like every other algorithm here (deal = own_order, so that equal workers do exactly what
/// `local` does), or from disjoint slices of one permutation (deal = disjoint, as the published code does).
///
/// When a worker is gone: the average is over those present (drop), or waits for its return; the samples
/// dealt to it are not learnt. One that returns gets the model from another, with that one's
/// deals and speeds; the losses that it had are lost.
#include <algorithm>
#include <numeric>
#include <optional>

#include "algorithms/support/deal_spec.hpp"
#include "algorithms/support/dealer.hpp"
#include "algorithms/support/local_work.hpp"
#include "algorithms/support/model_weights.hpp"
#include "algorithms/support/scores.hpp"
#include "algorithms/support/slow_workers.hpp"
#include "algorithms/support/unused_option.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class BiasedLocal : public Algorithm {
 public:
  enum class Speeds { described, measured };

  struct Options : SgdSpec, AllReduceSpec, DealSpec, ModelWeights, SlowWorkers {
    BatchSizes local_steps;  // a number for all or by class, as batches are
    Speeds speeds = Speeds::described;
    std::optional<std::size_t> measure_steps;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      FieldInfo local_steps = BatchSizes::field();
      local_steps.name = "local_steps";
      local_steps.doc =
          "tau_fast: steps of the fastest worker between two averages, others in proportion to "
          "their speed; or of each class: {\"gpu\": 32, \"cpu\": 1}";
      local_steps.fallback = 32;
      f.add(local_steps, &Options::local_steps);
      f.add({.name = "speeds",
             .doc = "which speeds decide steps and who is slow: described (by the cluster's "
                    "description) or measured (before the first round)",
             .fallback = "described",
             .choices = {"described", "measured"}},
            &Options::speeds);
      f.add({.name = "measure_steps",
             .doc = "with speeds = measured: gradients' time spent to measure; 10 when absent",
             .minimum = 1},
            &Options::measure_steps);
      f.include(DealSpec::fields());
      f.include(ModelWeights::fields());
      f.include(SlowWorkers::fields());
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    BatchSizes steps = options.local_steps;
    steps.hand_out(facts.class_of, place / "local_steps");
    options.ModelWeights::check(options.of_workers(facts, facts.speeds, place), place);
    options.DealSpec::check(facts, place);
    refuse_unused(options.measure_steps && options.speeds != Speeds::measured,
                  place / "measure_steps", "speeds = measured");
  }

  BiasedLocal(const Options& options, const RunFacts& facts) : options_(options), facts_(facts) {
    options_.local_steps.hand_out(facts.class_of, {});
    described_ = planned(facts.speeds);
  }

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }

  double gradients_per_update(std::size_t) const override {
    return static_cast<double>(
        std::accumulate(described_.steps.begin(), described_.steps.end(), std::size_t{0}));
  }

  void worker(Worker& me) const override {
    const std::size_t batch = options_.batch_size[me.rank()];
    if (options_.bias_sampling) me.keep_losses();
    Plan plan;
    if (options_.speeds == Speeds::described) plan = described_;
    std::optional<UpdateRule> rule;
    // Everybody makes the same deals by itself, from the same seed and the same scores.
    std::optional<Dealer> dealer;
    LearntLosses learnt;  // since the last deal
    Model x = me.initial_model();
    for (std::size_t round = 0;; ++round) {
      const std::size_t before = round;
      me.share(x, round, plan, dealer);
      if (plan.steps.empty()) plan = planned(measured_speeds(me));
      const std::size_t steps = plan.steps[me.rank()];
      if (!rule) {
        rule.emplace(options_, rule_steps_per_epoch(plan, steps));
        me.record_decision("local_steps", static_cast<double>(steps));
      }
      if (round != before) {  // it has returned
        rule->skip((round - before) * steps);
        learnt.clear();
      }
      if (options_.deals() && !dealer) dealer.emplace(setup_of_deals(plan));
      const std::size_t rounds_dealt = round % plan.rounds_per_deal;
      if (dealer && rounds_dealt == 0) {
        if (round > 0 && exchanges_scores(plan)) exchange_scores(me, learnt, *dealer);
        dealer->deal();
      }
      if (dealer && (rounds_dealt == 0 || round != before)) {
        const std::vector<Sample>& mine = dealer->hands()[me.rank()];
        const std::size_t used = rounds_dealt * steps * batch;
        me.draw_next({mine.begin() + static_cast<std::ptrdiff_t>(used), mine.end()});
      }
      x = me.local_steps(std::move(x), steps, batch, *rule);
      if (exchanges_scores(plan)) {
        for (std::size_t i = 0; i < me.drawn().size(); ++i) {
          learnt.add(round, me.drawn()[i], me.drawn_losses()[i]);
        }
      }
      me.all_reduce_mean(x, plan.weights[me.rank()]);
      if (me.leads()) me.finish_update(x);
    }
  }

 private:
  /// What follows from the speeds, the same for everybody.
  struct Plan {
    std::vector<bool> slow;          // of each worker
    std::vector<std::size_t> steps;  // of each worker in a round
    std::vector<double> weights;     // of each worker's model
    std::size_t rounds_per_deal = 1;
  };

  Plan planned(std::span<const double> speeds) const {
    Plan plan;
    plan.slow = options_.of_workers(facts_, speeds, {});
    plan.steps =
        options_.local_steps.by_class().empty()
            ? steps_by_speed(options_.local_steps[0], options_.batch_size.step_rates(speeds))
            : options_.local_steps.by_rank();
    plan.weights = options_.weights_of(plan.steps, plan.slow);
    std::size_t round_samples = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      round_samples += plan.steps[i] * options_.batch_size[i];
    }
    plan.rounds_per_deal = std::max<std::size_t>(1, facts_.samples_per_epoch / round_samples);
    return plan;
  }

  /// Of everybody; who is not there counts as fast as described.
  std::vector<double> measured_speeds(Worker& me) const {
    const double mine =
        me.measure_speed(options_.measure_steps.value_or(10), options_.batch_size[me.rank()]);
    std::vector<double> speeds = *me.gather(mine);
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      if (speeds[i] == 0) speeds[i] = facts_.speeds[i] / facts_.flops_per_sample;
    }
    return speeds;
  }

  double rule_steps_per_epoch(const Plan& plan, std::size_t steps) const {
    const std::size_t fastest = *std::ranges::max_element(plan.steps);
    return facts_.updates_per_epoch(options_.batch_size.sum() * fastest, steps);
  }

  Dealer::Setup setup_of_deals(const Plan& plan) const {
    Dealer::Setup setup;
    setup.samples = facts_.samples_per_epoch;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      setup.hand_size.push_back(plan.steps[i] * options_.batch_size[i] * plan.rounds_per_deal);
    }
    setup.slow = plan.slow;
    setup.biased = options_.bias_sampling;
    setup.candidate_ratio = options_.candidate_ratio;
    setup.seed = facts_.seed;
    return setup;
  }

  bool exchanges_scores(const Plan& plan) const {
    return options_.bias_sampling && std::ranges::count(plan.slow, true) > 0;
  }

  /// An all-reduce of a float for every sample.
  void exchange_scores(Worker& me, LearntLosses& learnt, Dealer& dealer) const {
    const std::uint64_t bytes = sizeof(float) * facts_.samples_per_epoch;
    const NotesOfAll of_all = me.everybody().exchange(learnt.numbers(), bytes);
    if (of_all) set_scores(dealer, options_.scores, *of_all);
    learnt.clear();
  }

  Options options_;
  RunFacts facts_;
  Plan described_;
};

}  // namespace

AlgorithmInfo biased_local() {
  return describe<BiasedLocal>(
      "biased_local", "more local steps for the fast, the hardest samples for the slow",
      "Biased Local SGD 2025, arXiv 2508.08540", Listed{90},
      "the average is over those present; one that returns gets model and deals from another",
      {.family = Family::local, .cost = "2 (W - 1), every H steps"});
}

}  // namespace motley
