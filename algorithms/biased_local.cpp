/// Biased local SGD: fast workers take more steps between averages, slow ones train on the samples
/// that are learnt worst.
///   Biased Local SGD for Efficient Deep Learning on Heterogeneous Systems, arXiv 2508.08540, 2025.
///
///   tau_i = max(1, round(tau_fast v_i / v_fast)), so that all reach the average together
///   worker i:  loop: tau_i times: x <- x - eta grad f(x; B samples);   x <- sum_j p_j x_j
///   data:      dealt anew every D = floor(N / (B sum_i tau_i)) rounds. The slow workers' samples,
///              K per deal, are those with the largest score out of rho K candidates; a sample's
///              score is its latest training loss (in one round: of the highest rank that learnt it),
///              infinite before it is seen. The fast workers get slices of a fresh permutation of
///              everything.
///
/// As in the published code [code]: plain average whatever tau_i (uniform; steps has p_i ~ tau_i,
/// slow_share a given total for the slow ones); momentum stays with its worker and is never
/// averaged; an epoch is N / (B W tau_fast) rounds, by which the schedule is counted (there rounded
/// down; here not, so that equal workers count as `local` does).
///
/// Taken here [inferred]: v_i are the speeds of the cluster's description. The scores are taken to
/// travel with the models at no cost. With bias_sampling = false everybody draws in its own order like
/// every other algorithm here (deal = own_order, so that equal workers do exactly what `local` does),
/// or from disjoint slices of one permutation (deal = disjoint, as the published code does).
///
/// When a worker is gone: the average is over those present (drop), or waits for its return; the samples
/// dealt to it are not learnt. One that returns gets the model from another, with that one's
/// deals.
#include <algorithm>
#include <numeric>
#include <optional>

#include "algorithms/support/deal_spec.hpp"
#include "algorithms/support/dealer.hpp"
#include "algorithms/support/local_work.hpp"
#include "algorithms/support/model_weights.hpp"
#include "algorithms/support/slow_workers.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class BiasedLocal : public Algorithm {
 public:
  struct Options : SgdSpec, AllReduceSpec, DealSpec, ModelWeights, SlowWorkers {
    std::size_t local_steps = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "local_steps",
             .doc = "tau_fast: steps of the fastest worker between two averages; others in "
                    "proportion to their speed",
             .fallback = 32,
             .minimum = 1},
            &Options::local_steps);
      f.include(DealSpec::fields());
      f.include(ModelWeights::fields());
      f.include(SlowWorkers::fields());
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.ModelWeights::check(options.of_workers(facts, place), place);
    options.DealSpec::check(facts, place);
  }

  BiasedLocal(const Options& options, const RunFacts& facts)
      : options_(options), facts_(facts), slow_(options.of_workers(facts, {})) {
    std::size_t round_samples = 0;
    const std::vector<double> rates = options.batch_size.step_rates(facts.speeds);
    steps_ = steps_by_speed(options.local_steps, rates);
    for (std::size_t i = 0; i < rates.size(); ++i)
      round_samples += steps_[i] * options.batch_size[i];
    weights_ = options.weights_of(steps_, slow_);
    rounds_per_deal_ = std::max<std::size_t>(1, facts.samples_per_epoch / round_samples);
  }

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }

  double gradients_per_update(std::size_t) const override {
    return static_cast<double>(std::accumulate(steps_.begin(), steps_.end(), std::size_t{0}));
  }

  void worker(Worker& me) const override {
    const std::size_t steps = steps_[me.rank()];
    const std::size_t samples = options_.batch_size.sum() * options_.local_steps;
    UpdateRule rule(options_, facts_.updates_per_epoch(samples, steps));
    me.record_decision("local_steps", static_cast<double>(steps));
    if (options_.bias_sampling) me.keep_losses();
    // Everybody makes the same deals by itself, from the same seed and the same scores.
    std::optional<Dealer> dealer;
    if (options_.deals()) dealer.emplace(setup_of_deals());
    std::vector<std::vector<Sample>> hands;  // of the last deal
    Model x = me.initial_model();
    for (std::size_t round = 0;; ++round) {
      const std::size_t before = round;
      me.share(x, round, dealer, hands);
      rule.skip((round - before) * steps);  // of one that has returned
      const std::size_t rounds_dealt = round % rounds_per_deal_;
      if (dealer && rounds_dealt == 0) hands = dealer->deal();
      if (dealer && (rounds_dealt == 0 || round != before)) {
        std::vector<Sample>& mine = hands[me.rank()];
        const std::size_t used = rounds_dealt * steps * options_.batch_size[me.rank()];
        me.draw_next({mine.begin() + static_cast<std::ptrdiff_t>(used), mine.end()});
      }
      x = me.local_steps(std::move(x), steps, options_.batch_size[me.rank()], rule);
      const NotesOfAll losses =
          me.everybody().all_reduce_mean(x, weights_[me.rank()], losses_of(me));
      if (losses) set_scores(*dealer, *losses);
      if (me.leads()) me.finish_update(x);
    }
  }

 private:
  Dealer::Setup setup_of_deals() const {
    Dealer::Setup setup;
    setup.samples = facts_.samples_per_epoch;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      setup.hand_size.push_back(steps_[i] * options_.batch_size[i] * rounds_per_deal_);
    }
    setup.slow = slow_;
    setup.biased = options_.bias_sampling;
    setup.candidate_ratio = options_.candidate_ratio;
    setup.seed = facts_.seed;
    return setup;
  }

  /// Each sample that a worker has learnt in this round with its loss; nothing without bias_sampling.
  std::vector<double> losses_of(const Worker& me) const {
    std::vector<double> losses;
    if (!options_.bias_sampling) return losses;
    for (std::size_t i = 0; i < me.drawn().size(); ++i) {
      losses.push_back(me.drawn()[i]);
      losses.push_back(me.drawn_losses()[i]);
    }
    return losses;
  }

  /// In order of rank, not of time: rounding, and the clocks of real machines, must not decide which
  /// loss of a sample counts that several have learnt in the same round.
  static void set_scores(Dealer& dealer, const std::vector<std::vector<double>>& losses) {
    for (const std::vector<double>& of : losses) {
      for (std::size_t i = 0; i < of.size(); i += 2) {
        dealer.set_score(static_cast<Sample>(of[i]), static_cast<float>(of[i + 1]));
      }
    }
  }

  Options options_;
  RunFacts facts_;
  std::vector<bool> slow_;          // of each worker
  std::vector<std::size_t> steps_;  // of each worker in a round
  std::vector<double> weights_;     // of each worker's model
  std::size_t rounds_per_deal_ = 1;
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
