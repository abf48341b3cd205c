/// AD-PSGD: no server and no barrier; workers average their models in pairs while they compute.
///   X. Lian, W. Zhang, C. Zhang, J. Liu: Asynchronous Decentralized Parallel Stochastic Gradient
///   Descent, ICML 2018, PMLR 80:3043 [code].
///
///   active i:   loop: draw a neighbour j;  send x_i to j;  g <- grad f(x_i; B samples)
///                     x_i <- the average that j sends back;   x_i <- x_i - eta g
///   passive j:  whenever x_i arrives:  x_j <- (x_i + x_j) / 2;  send it back to i
///               loop: g <- grad f(x_j; B samples);   x_j <- x_j - eta g
///
/// Gradients are taken at the model they began with; a pair's average is the same for both. The graph
/// is made bipartite, so that no worker waits for one that waits itself: even ranks are active, odd ones
/// passive (on a grid and with edges given: those an even or odd number of edges from rank 0), and edges
/// between workers of one side are not used. An update is a step of any worker; the curve shows the mean
/// of all models, an oracle.
///
/// When a worker is gone: once that is noticed it is not drawn (drop), and an average that it was asked for is
/// not waited for, whatever on_failure says: x_i stays. One that returns gets model and rule from another.
#include "algorithms/support/gossip.hpp"
#include "algorithms/support/round_messages.hpp"
#include "sim/vocabulary/algorithm.hpp"
#include "sim/vocabulary/draw.hpp"

namespace motley {
namespace {

class AdPsgd : public Algorithm {
 public:
  struct Options : GossipSpec {
    static Fields<Options> fields() {
      return Fields<Options>().include(
          GossipSpec::fields("who averages with whom, of those on different sides"));
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.GossipSpec::check(facts, place);
  }

  AdPsgd(const Options& options, const RunFacts& facts)
      : options_(options),
        gossip_(options, facts),
        is_passive_(options.graph.sides(gossip_.neighbours)) {}

  bool needs_server() const override { return false; }
  bool merges_own_models() const override { return false; }
  double gradients_per_update(std::size_t) const override { return 1; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, gossip_.steps_per_epoch);
    Model x = me.initial_model();
    const std::vector<std::size_t> neighbours = passive_neighbours(me);
    me.serve("model", [&](const Message& theirs) {
      x += theirs.vector;
      x *= 0.5F;
      me.send(theirs.sender, {.kind = "average", .vector = x});
    });
    for (std::uint64_t step = 1;; ++step) {
      me.share(x, rule, step);
      const std::vector<std::size_t> there = present_of(neighbours, me);
      std::size_t partner = 0;
      if (!there.empty()) {
        partner = there[draw_below(me.random("partner"), there.size())];
        me.send(partner, {.kind = "model", .vector = x});
      }
      const Gradient g = me.gradient(x, options_.batch_size[me.rank()]);
      if (!there.empty()) {
        const std::optional<Message> average = me.receive_answer({partner, "average"});
        if (average) static_cast<Parameters&>(x) = average->vector;
      }
      me.step(rule, x, g);
      me.finish_own_update(x, step);
    }
  }

 private:
  /// Of an active worker; a passive one has none.
  std::vector<std::size_t> passive_neighbours(const Worker& me) const {
    if (is_passive_[me.rank()]) return {};
    std::vector<std::size_t> found = gossip_.neighbours[me.rank()];
    std::erase_if(found, [this](std::size_t rank) { return !is_passive_[rank]; });
    return found;
  }

  Options options_;
  PlannedGossip gossip_;
  std::vector<bool> is_passive_;
};

}  // namespace

AlgorithmInfo ad_psgd() {
  return describe<AdPsgd>("ad_psgd", "no server: models averaged in pairs, behind the computation",
                          "Lian et al., ICML 2018, PMLR 80:3043", Listed{190},
                          "a worker that has asked it for an average waits until it is noticed; "
                          "one that returns gets model and rule from another",
                          {.family = Family::decentralised,
                           .needs = "a graph",
                           .cost = "2 for a step of an active worker, else none"});
}

}  // namespace motley
