/// D-PSGD: no server; everybody averages its model with its neighbours' while it computes.
///   X. Lian et al.: Can Decentralized Algorithms Outperform Centralized Algorithms?, NIPS 2017,
///   arXiv 1705.09056 [recalled].
///
///   worker i:  loop: send x_i to the neighbours;   g <- grad f(x_i; B samples)
///                    x_i <- sum_j W_ij x_j;   x_i <- x_i - eta g
///
/// W_ij = 1 / (1 + max(d_i, d_j)) of neighbours with d_i and d_j neighbours, and W_ii is what is left
/// to 1 (Metropolis) [inferred]: 1/(d + 1) each where all have d. An update is a step of any worker;
/// the curve shows the mean of all models, an oracle, and beside it how far they are apart. On a complete
/// graph the mean goes the way of allreduce where the gradient is linear, to rounding.
///
/// When a worker is gone: its part in the sum is the own model's, once it is noticed, whatever on_failure
/// says. One that returns gets model and rule from another.
#include <algorithm>

#include "algorithms/support/gossip.hpp"
#include "algorithms/support/round_messages.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class DPsgd : public Algorithm {
 public:
  struct Options : GossipSpec {
    static Fields<Options> fields() {
      return Fields<Options>().include(GossipSpec::fields("who averages with whom"));
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.GossipSpec::check(facts, place);
  }

  DPsgd(const Options& options, const RunFacts& facts)
      : options_(options), gossip_(options, facts) {}

  bool needs_server() const override { return false; }
  bool merges_own_models() const override { return false; }
  double gradients_per_update(std::size_t) const override { return 1; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, gossip_.steps_per_epoch);
    Model x = me.initial_model();
    RoundMessages messages(me, "model");
    for (std::uint64_t step = 1;; ++step) {
      if (joins(me, x, rule, step)) messages.join(step);
      const std::vector<std::size_t> there = present_of(gossip_.neighbours[me.rank()], me);
      for (const std::size_t j : there) messages.send(j, step, {.vector = x});
      const Gradient g = me.gradient(x, options_.batch_size[me.rank()]);
      const Parameters own = x;
      for (const std::size_t j : there) {
        const std::vector<Message> theirs = messages.receive(j, step);
        if (theirs.empty()) continue;
        const float weight = weight_between(me.rank(), j);
        x += weight * theirs.back().vector;
        x -= weight * own;
      }
      me.step(rule, x, g);
      me.finish_own_update(x, step);
    }
  }

 private:
  /// W_ij.
  float weight_between(std::size_t i, std::size_t j) const {
    const std::size_t most = std::max(gossip_.neighbours[i].size(), gossip_.neighbours[j].size());
    return 1.0F / static_cast<float>(1 + most);
  }

  Options options_;
  PlannedGossip gossip_;
};

}  // namespace

AlgorithmInfo d_psgd() {
  return describe<DPsgd>("d_psgd", "no server: models averaged with all neighbours, every step",
                         "Lian et al., NIPS 2017, arXiv 1705.09056", Listed{186},
                         "its neighbours wait until it is noticed, then go on without it; one that "
                         "returns gets model and rule from another",
                         {.family = Family::decentralised,
                          .needs = "a graph",
                          .different_data = true,
                          .cost = "1 to each neighbour"});
}

}  // namespace motley
