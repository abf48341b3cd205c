/// DASO: on nodes of several devices, gradients are averaged inside a node in every step, and parameters
/// between the nodes now and then, behind the computation.
///   D. Coquelin et al.: Accelerating Neural Network Training with Distributed Asynchronous and Selective
///   Optimization (DASO), J. Big Data 2022, arXiv 2104.05588 [code].
///
///   worker:  loop: g <- grad f(x; B samples);  g <- mean of g inside its node;  x <- x - eta g
///                  every `skip` steps: start an all-reduce of x between the nodes, without waiting
///                  w = `wait` steps after that: x <- (2w x + sum_{p=1..P} x_p(t-w)) / (2w + P), P nodes
///
/// A blocking phase, skip 1 and w 0, comes first (`warm_up_epochs`) and, if it is asked for, last
/// (`cool_down_after_epochs`). In between, skip and w are halved when the loss of an epoch has changed by less
/// than 5 % in each of two epochs: skip down to 1; w down to 1, and to 0 with skip 1. From skip 1 they go to 8
/// and 2. `adapt` = false leaves them, and so do runs without losses, such as those that answer what-if.
///
/// Taken where the text is silent or the code differs [inferred]: all devices of a node take part in the
/// all-reduce between nodes, each weighing 1/(its node's devices), by messages that cross between nodes once
/// (the authors let one device of each node in turn do so and tell the others); w is below skip; the loss is
/// the mean of everybody's mini-batches. An update of the global model is an average between the nodes, and
/// what is shown is the first device's model after it. One node is allreduce; skip 1, wait 0 is allreduce to
/// rounding where all nodes have the same sum of batches. Elsewhere nodes still weigh alike, as the rule says,
/// and a sample of a small node counts more: with different data the optimum is then not that of all data.
///
/// When a worker is gone: the averages are over those present (drop), or wait for its return. One that
/// returns gets the state of another, of its own node if it can be, when no average is under way. P is how
/// many nodes are in the average, and a node weighs 1 however many of its devices are left: those that were
/// in its last average of gradients share that [inferred].
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Daso : public Algorithm {
 public:
  struct Options : SgdSpec, AllReduceSpec {
    std::size_t skip = 0;
    std::size_t wait = 0;
    bool adapt = true;
    double warm_up_epochs = 0;
    std::optional<double> cool_down_after_epochs;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "skip",
             .doc = "steps between two averages between the nodes",
             .fallback = 4,
             .minimum = 1},
            &Options::skip);
      f.add({.name = "wait",
             .doc = "w: steps from the start of such an average to its use; below skip",
             .fallback = 1,
             .minimum = 0},
            &Options::wait);
      f.add({.name = "adapt",
             .doc = "halve skip and wait when the loss is stable, from 1 on begin at 8 again",
             .fallback = true},
            &Options::adapt);
      f.add({.name = "warm_up_epochs",
             .doc = "at first, every step waits for its average",
             .fallback = 4.0,
             .minimum = 0},
            &Options::warm_up_epochs);
      f.add({.name = "cool_down_after_epochs",
             .doc = "from then on, every step waits for its average; never when absent",
             .minimum = 0},
            &Options::cool_down_after_epochs);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    std::vector<std::size_t> nodes = facts.node_of;
    std::ranges::sort(nodes);
    if (std::ranges::adjacent_find(nodes) == nodes.end()) {
      throw InputError(
          place,
          "daso needs nodes of several workers: \"per_node\" in /cluster/workers, or a "
          "property \"node\" of the platform file's hosts");
    }
    if (options.wait >= options.skip) {
      throw InputError(place / "wait",
                       "must be below skip, " + std::to_string(options.skip) +
                           ": averages between the nodes follow each other",
                       options.wait);
    }
  }

  Daso(const Options& options, const RunFacts& facts)
      : options_(options),
        node_of_(facts.node_of),
        nodes_(count_nodes(facts.node_of)),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }
  double gradients_per_update(std::size_t workers) const override {
    return static_cast<double>(workers * (nodes_ == 1 ? 1 : options_.skip));
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Group& node = node_of(me);
    Group& all = everybody_of(me);
    Model x = me.initial_model();
    Pace pace{options_.skip, options_.wait};
    std::optional<Pending<Averaged>> between;  // the average between nodes that is under way
    me.keep_losses();
    for (std::size_t step = 1;; ++step) {
      if (pace.due < step) me.share(x, rule, step, pace);  // nobody joins while one is under way
      Gradient g = me.gradient(x, options_.batch_size[me.rank()]);
      pace.count_loss(me.drawn_losses());
      const NotesOfAll there =
          node.all_reduce_mean(g, options_.batch_size.weight(me.rank()), {present});
      const double share_of_node = 1.0 / static_cast<double>(count_present(*there));
      me.step(rule, x, g);
      if (nodes_ == 1) {
        if (node.leads()) me.finish_update(x);
        continue;
      }
      if (between && step == pace.due) {
        use(*between, static_cast<float>(2 * (pace.due - pace.started)), x);
        between.reset();
        if (all.leads()) me.finish_update(x);
      }
      const bool waits = is_blocking(step);
      if (step >= pace.due && step % (waits ? 1 : pace.skip) == 0) {
        pace.started = step;
        pace.due = step + (waits ? 0 : pace.wait);
        if (pace.due > step) {
          between = all.start_all_reduce_mean(x, share_of_node, {present});
        } else {
          all.all_reduce_mean(x, share_of_node);
          if (all.leads()) me.finish_update(x);
        }
      }
      if (options_.adapt && step % epoch_steps() == 0) {
        pace.end_epoch(*me.gather(pace.mean_loss()), !waits);
      }
    }
  }

 private:
  static constexpr double present = 1;  // said by everybody who is in an average

  static std::size_t count_present(const std::vector<std::vector<double>>& said) {
    return said.size() - static_cast<std::size_t>(std::ranges::count(said, std::vector<double>()));
  }

  /// When nodes are averaged, as everybody knows it.
  struct Pace {
    std::size_t skip = 1;
    std::size_t wait = 0;
    std::size_t started = 0;  // the step of the last average between nodes
    std::size_t due = 0;      // the step that uses it
    double loss = 0;          // sum of this worker's in this epoch
    double losses = 0;        // how many
    double last_loss = 0;     // of everybody, in the epoch before
    int stable_epochs = 0;

    void count_loss(std::span<const float> drawn) {
      loss = std::accumulate(drawn.begin(), drawn.end(), loss);
      losses += static_cast<double>(drawn.size());
    }
    double mean_loss() const { return losses > 0 ? loss / losses : 0; }

    /// `of_all`: everybody's mean loss; 0 of who is not there.
    void end_epoch(const std::vector<double>& of_all, bool may_change) {
      constexpr double stable = 0.05;
      constexpr int enough = 2;
      constexpr std::size_t begin_again = 8;
      loss = losses = 0;
      const auto there =
          static_cast<double>(of_all.size()) - static_cast<double>(std::ranges::count(of_all, 0.0));
      if (there == 0) return;
      const double now = std::accumulate(of_all.begin(), of_all.end(), 0.0) / there;
      const bool is_stable = std::abs(now - last_loss) < stable * std::abs(last_loss);
      stable_epochs = is_stable ? stable_epochs + 1 : 0;
      last_loss = now;
      if (!may_change || stable_epochs < enough) return;
      stable_epochs = 0;
      wait = skip == 1 ? begin_again / 4 : std::max<std::size_t>(1, wait / 2);
      skip = skip == 1 ? begin_again : skip / 2;
      wait = std::min(wait, skip - 1);
    }
  };

  static std::size_t count_nodes(const std::vector<std::size_t>& node_of) {
    return std::set<std::size_t>(node_of.begin(), node_of.end()).size();
  }

  Group& node_of(Worker& me) const {
    const std::size_t mine = node_of_[me.rank()];
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < me.workers(); ++i) {
      if (node_of_[i] == mine) members.push_back(i);
    }
    return me.group("node " + std::to_string(mine), members);
  }

  /// By messages that cross between nodes once.
  static Group& everybody_of(Worker& me) {
    std::vector<std::size_t> members(me.workers());
    std::iota(members.begin(), members.end(), std::size_t{0});
    return me.group("between nodes", members, "hierarchical");
  }

  /// x <- (2w x + P mean) / (2w + P), P of the nodes that are in the mean.
  void use(Pending<Averaged>& between, float twice_waited, Model& x) const {
    const Averaged mean = between.wait();
    std::set<std::size_t> in_the_mean;
    for (std::size_t rank = 0; rank < node_of_.size(); ++rank) {
      if (!(*mean.numbers)[rank].empty()) in_the_mean.insert(node_of_[rank]);
    }
    const auto nodes = static_cast<float>(in_the_mean.size());
    x *= twice_waited / (twice_waited + nodes);
    x += (nodes / (twice_waited + nodes)) * mean;
  }

  bool is_blocking(std::size_t step) const {
    const double epochs = static_cast<double>(step) / steps_per_epoch_;
    return epochs <= options_.warm_up_epochs ||
           (options_.cool_down_after_epochs && epochs > *options_.cool_down_after_epochs);
  }

  std::size_t epoch_steps() const {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(steps_per_epoch_)));
  }

  Options options_;
  std::vector<std::size_t> node_of_;  // by rank
  std::size_t nodes_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo daso() {
  return describe<Daso>(
      "daso",
      "gradients averaged inside nodes, parameters between them now and then, behind computation",
      "Coquelin et al. 2022, arXiv 2104.05588", Listed{185},
      "averages are over those present; one that returns gets the state of another",
      {.family = Family::hierarchical,
       .needs = "nodes (of equal size where data differ)",
       .different_data = true,
       .cost = "2 (W - P) inside the P nodes every step, and 2 (W - 1) every `skip`, of which 2 (P "
               "- 1) "
               "between them"});
}

}  // namespace motley
