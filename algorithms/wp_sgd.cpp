/// WP-SGD, weighted parallel SGD: everybody trains alone and stops at the same moment; who made
/// more steps weighs more in the average.
///   Weighted parallel SGD for distributed unbalanced-workload training system, J. Parallel
///   Distrib. Comput. 2020, arXiv 1708.04801.
///
///   worker:  x <- x_0;  loop: until the round is over: x <- x - eta grad f(x; B samples), n_i times
///                             x <- sum_i p_i x_i
///
/// contraction: p_i ~ (1 - lambda eta)^(n_max - n_i);  samples: p_i ~ n_i.  Both are 1/W when all
/// made as many steps. The formula of the paper was not at hand: `contraction` follows from the
/// theory it builds on [inferred], a step of SGD on an objective of strong convexity lambda shrinks
/// the distance to the optimum by 1 - lambda eta; `samples` is how a later paper of two of the
/// authors describes it [paper].
///
/// Where batches b_i differ by class, samples is p_i ~ n_i b_i.
///
/// `round_time`: the average is taken, over the network, each time so long has passed since the
/// last one ended, and everybody goes on from it with fresh counters, for `rounds` rounds. By
/// default that is the time in which all workers together compute one pass over the data, at the
/// speeds described, but no less than two steps of the slowest [inferred; the paper has one round]. It
/// does not depend on how long the run is. In a round longer than the run no average is ever made,
/// and the curve shows what one would give, without its time. A step under way when the round ends
/// is lost.
/// inner_delay = d: x <- x - eta grad f(x_{t-d}; ...), as on a node that works asynchronously
/// inside. Models meet by all-reduce. A schedule counts a worker's own steps; the weights take
/// the initial step size.
///
/// When a worker is gone: the average is over those present (drop), or waits for its return. What it
/// has trained is lost: one that returns begins with another's model of the beginning of the round, and
/// ends the round at the same moment.
#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class WpSgd : public Algorithm {
 public:
  enum class Weights { contraction, samples };

  struct Options : SgdSpec, AllReduceSpec {
    Weights weights = Weights::contraction;
    double lambda = 0;
    std::optional<double> round_time_s;
    std::optional<std::size_t> rounds;
    std::size_t inner_delay = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add(
          {.name = "weights",
           .doc = "of a model after n steps: contraction ((1 - lambda eta)^(n_max - n)) or samples "
                  "(n)",
           .fallback = "contraction",
           .choices = {"contraction", "samples"}},
          &Options::weights);
      f.add({.name = "lambda",
             .doc = "strong convexity of the objective, for the contraction weights",
             .fallback = 0.01,
             .minimum = 0},
            &Options::lambda);
      f.add(
          {.name = "round_time",
           .doc = "from one average to the end of the next round; auto: what all workers together "
                  "compute for one epoch; longer than the run: never an average",
           .fallback = "auto",
           .dimension = Dimension::time,
           .minimum = 0,
           .above_minimum = true,
           .word = "auto"},
          &Options::round_time_s);
      f.add({.name = "rounds",
             .doc = "after how many rounds the run is over; inf: only when it is stopped",
             .fallback = "inf",
             .minimum = 1,
             .word = "inf"},
            &Options::rounds);
      f.add({.name = "inner_delay",
             .doc = "d: each step uses the gradient at the model of d steps before",
             .fallback = 0,
             .minimum = 0},
            &Options::inner_delay);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts&, const Place& place) {
    if (options.weights == Weights::contraction && options.lambda * options.step_size >= 1) {
      throw InputError(place / "lambda", "must be below 1/step_size, or nothing contracts",
                       options.lambda);
    }
  }

  WpSgd(const Options& options, const RunFacts& facts)
      : options_(options),
        round_s_(options.round_time_s.value_or(default_round_s(options, facts))),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Model x = me.initial_model();
    for (std::size_t round = 0; !options_.rounds || round < *options_.rounds; ++round) {
      double end_s = me.clock() + round_s_;
      me.share(x, rule, round, end_s);
      const Until round_ends = {.deadline = end_s};
      std::uint64_t n = 0;
      std::deque<Model> past = {x};  // the models of the last inner_delay steps, and x
      while (const std::optional<Gradient> g =
                 me.gradient(past.front(), options_.batch_size[me.rank()], round_ends)) {
        me.step(rule, x, *g);
        past.push_back(x);
        if (past.size() > options_.inner_delay + 1) past.pop_front();
        me.finish_own_update(x, ++n);
      }
      past.clear();
      merge(me, x, n);
    }
  }

  std::vector<double> merge_weights(std::span<const std::uint64_t> steps) const override {
    const std::uint64_t most = *std::max_element(steps.begin(), steps.end());
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t rank = 0; rank < steps.size(); ++rank) {
      weights.push_back(weight(steps[rank], most, rank));
      sum += weights.back();
    }
    for (double& w : weights) w /= sum;
    return weights;
  }

 private:
  static double default_round_s(const Options& options, const RunFacts& facts) {
    double slowest_step_s = 0;
    for (std::size_t i = 0; i < facts.workers; ++i) {
      const auto batch = static_cast<double>(options.batch_size[i]);
      slowest_step_s = std::max(slowest_step_s, batch * facts.flops_per_sample / facts.speeds[i]);
    }
    return std::max(facts.epoch_s(), 2 * slowest_step_s);
  }

  double weight(std::uint64_t n, std::uint64_t most, std::size_t rank) const {
    if (most == 0) return 1;  // nobody made a step
    if (options_.weights == Weights::samples) {
      return static_cast<double>(n) * options_.batch_size.weight(rank);
    }
    // In log space, so that a slow worker's weight is small and not a rounding error.
    return std::exp(static_cast<double>(most - n) *
                    std::log1p(-options_.lambda * options_.step_size));
  }

  /// Everybody tells its count first, which weighs nothing, and then the weighted models meet.
  void merge(Worker& me, Model& x, std::uint64_t n) const {
    const Notes counts = me.gather(static_cast<double>(n));
    const double most = *std::max_element(counts->begin(), counts->end());
    me.all_reduce_mean(x, weight(n, static_cast<std::uint64_t>(most), me.rank()));
    if (me.leads() && most > 0) me.finish_update(x);
    me.barrier();  // the next round begins, as it ends, for all at the same moment
  }

  Options options_;
  double round_s_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo wp_sgd() {
  return describe<WpSgd>(
      "wp_sgd", "all workers train alone and stop together; more steps weigh more",
      "WP-SGD, JPDC 2020, arXiv 1708.04801", Listed{80},
      "the average is over those present; one that returns begins the round anew",
      {.family = Family::local, .cost = "none; 2 (W - 1) for every merge"});
}

}  // namespace motley
