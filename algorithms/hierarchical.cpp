/// Hierarchical local SGD: local steps, averages inside groups, and now and then one of everybody.
///   T. Lin, S. U. Stich, K. K. Patel, M. Jaggi: Don't Use Large Mini-Batches, Use Local SGD,
///   ICLR 2020, arXiv 1808.07217 (hierarchical local SGD) [recalled].
///
///   worker:  loop: H times: x <- x - eta grad f(x; B samples)
///                  x <- mean of x in its group;   every G-th time: of all workers
///
/// An update of the global model is an average of all workers; with one group every average is.
/// Groups are given by name, or found by the speeds of the cluster's description. One group is
/// local SGD with H steps; groups of one are local SGD with G H steps. Momentum is not averaged.
///
/// When a worker is gone: the averages are over those present (drop), or wait for its return. One that
/// returns gets model and rule from another, of its own group if one is there.
#include <algorithm>

#include "algorithms/support/speed_groups.hpp"
#include "algorithms/support/worker_names.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Hierarchical : public Algorithm {
 public:
  struct Options : SgdSpec, AllReduceSpec {
    WorkerGroups groups;
    std::size_t local_steps = 0;
    std::size_t global_every = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add(WorkerGroups::field("\"auto\""), &Options::groups);
      f.add({.name = "local_steps",
             .doc = "H: steps between two averages",
             .fallback = 8,
             .minimum = 1},
            &Options::local_steps);
      f.add({.name = "global_every",
             .doc = "G: every G-th average is of all workers",
             .fallback = 4,
             .minimum = 1},
            &Options::global_every);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.groups.of_workers(facts, place / "groups");
  }

  Hierarchical(const Options& options, const RunFacts& facts)
      : options_(options),
        group_of_(options.groups.of_workers(facts, {})),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {
    if (group_of_.empty()) {
      group_of_ = group_by_speed(options.batch_size.step_rates(facts.speeds), options.groups.count);
    }
  }

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }
  double gradients_per_update(std::size_t workers) const override {
    const bool one_group = std::ranges::count(group_of_, group_of_.front()) ==
                           static_cast<std::ptrdiff_t>(group_of_.size());
    return static_cast<double>(workers * options_.local_steps *
                               (one_group ? 1 : options_.global_every));
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Group& mine = group_of(me);
    me.record_decision("group", static_cast<double>(group_of_[me.rank()]));
    Model x = me.initial_model();
    for (std::size_t round = 1;; ++round) {
      me.share(x, rule, round);
      x = me.local_steps(std::move(x), options_.local_steps, options_.batch_size[me.rank()], rule);
      if (round % options_.global_every == 0 || mine.size() == me.workers()) {
        me.all_reduce_mean(x);
        if (me.leads()) me.finish_update(x);
      } else {
        mine.all_reduce_mean(x);
      }
    }
  }

 private:
  Group& group_of(Worker& me) const {
    const std::size_t mine = group_of_[me.rank()];
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < me.workers(); ++i) {
      if (group_of_[i] == mine) members.push_back(i);
    }
    return me.group("group " + std::to_string(mine), members);
  }

  Options options_;
  std::vector<std::size_t> group_of_;  // by worker
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo hierarchical() {
  return describe<Hierarchical>(
      "hierarchical", "local steps, averages in groups, now and then one of all",
      "Lin et al., ICLR 2020, arXiv 1808.07217", Listed{180},
      "averages are over those present; one that returns gets model and rule from its group",
      {.family = Family::hierarchical,
       .different_data = true,
       .cost = "2 (W - 1), and 2 (n - 1) for each average of a group of n"});
}

}  // namespace motley
