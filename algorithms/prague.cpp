/// Prague: no server and no barrier of all; models are averaged in random groups that change every step.
///   Q. Luo, J. He, Y. Zhuo, X. Qian: Prague: High-Performance Heterogeneity-Aware Asynchronous
///   Decentralized Training, ASPLOS 2020 [abstract; details recalled].
///
///   worker:  in step k:  x <- x - eta grad f(x; B samples)
///                        x <- mean of x in its group of this step (a partial all-reduce)
///
/// The groups of g are random divisions of all workers, known to everybody from the seed, `cycle` of
/// them in turn [inferred: the paper has a generator of groups that can avoid slow workers, and
/// a static schedule; this is a schedule]. So a slow worker holds up its group, not everybody. In the
/// partial all-reduce every member averages a part of the model: it gets that part from all others of the
/// group, and sends the mean to them; 2 (g-1)/g models out of every member, as in a ring. One
/// group of all is local SGD with one step, to rounding. An update is a step of any worker; the curve
/// shows the mean of all models, an oracle, and beside it how far they are apart.
///
/// When a worker is gone: its group waits until it is noticed, then goes on without it, whatever
/// on_failure says; the part that it would have averaged stays everybody's own. One that returns gets
/// model and rule from another.
#include <algorithm>

#include "algorithms/support/random_groups.hpp"
#include "algorithms/support/round_messages.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Prague : public Algorithm {
 public:
  struct Options : SgdSpec {
    std::size_t group_size = 0;
    std::size_t cycle = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "group_size",
             .doc = "g: how many workers average together; all of them if there are fewer",
             .fallback = 3,
             .minimum = 1},
            &Options::group_size);
      f.add({.name = "cycle",
             .doc = "after how many steps the random groups come again",
             .fallback = 16,
             .minimum = 1,
             .maximum = 1000},
            &Options::cycle);
      return f;
    }
  };

  Prague(const Options& options, const RunFacts& facts)
      : options_(options),
        divisions_(random_groups(facts.seed, facts.workers,
                                 std::min(options.group_size, facts.workers), options.cycle)),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  bool needs_server() const override { return false; }
  bool merges_own_models() const override { return false; }
  bool sends_parts() const override { return true; }
  double gradients_per_update(std::size_t) const override { return 1; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Model x = me.initial_model();
    RoundMessages parts(me, "part");
    RoundMessages means(me, "mean");
    for (std::uint64_t step = 1;; ++step) {
      if (joins(me, x, rule, step)) {
        parts.join(step);
        means.join(step);
      }
      me.step(rule, x, me.gradient(x, options_.batch_size[me.rank()]));
      average(me, parts, means, step, x);
      me.finish_own_update(x, step);
    }
  }

 private:
  const std::vector<std::size_t>& group_of(std::size_t rank, std::uint64_t step) const {
    const auto& groups = divisions_[step % divisions_.size()];
    return *std::ranges::find_if(groups, [rank](const std::vector<std::size_t>& group) {
      return std::ranges::find(group, rank) != group.end();
    });
  }

  void average(Worker& me, RoundMessages& parts, RoundMessages& means, std::uint64_t step,
               Model& x) const {
    const std::vector<std::size_t>& group = group_of(me.rank(), step);
    const auto begin = [&](std::size_t member) { return x.size() * member / group.size(); };
    const auto part = [&](std::size_t member) {
      return x.slice(begin(member), begin(member + 1) - begin(member));
    };
    const auto is_there = [&](std::size_t member) {
      return group[member] != me.rank() && me.is_present(group[member]);
    };
    std::vector<std::size_t> there;  // members
    std::size_t mine = 0;
    for (std::size_t member = 0; member < group.size(); ++member) {
      if (group[member] == me.rank()) mine = member;
      if (is_there(member)) there.push_back(member);
    }
    for (const std::size_t member : there) {
      parts.send(group[member], step, {.vector = part(member)});
    }
    Parameters mean = part(mine);
    float count = 1;
    for (const std::size_t member : there) {
      const std::vector<Message> theirs = parts.receive(group[member], step);
      if (theirs.empty() || !is_of(theirs.back(), step)) continue;
      mean += theirs.back().vector;
      ++count;
    }
    mean *= 1 / count;
    for (const std::size_t member : there) means.send(group[member], step, {.vector = mean});
    put(x, mean, begin(mine));
    for (const std::size_t member : there) {
      const std::vector<Message> theirs = means.receive(group[member], step);
      if (theirs.empty() || !is_of(theirs.back(), step)) continue;
      put(x, theirs.back().vector, begin(member));
    }
  }

  /// A later one would be a part of another group's.
  static bool is_of(const Message& message, std::uint64_t step) {
    return static_cast<std::uint64_t>(message.numbers.front()) == step;
  }

  static void put(Model& x, const Parameters& part, std::size_t begin) {
    std::ranges::copy(part.values(), x.writable().begin() + static_cast<std::ptrdiff_t>(begin));
  }

  Options options_;
  std::vector<std::vector<std::vector<std::size_t>>> divisions_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo prague() {
  return describe<Prague>(
      "prague", "no server: models averaged in random groups, new ones each step",
      "Luo et al., ASPLOS 2020", Listed{194},
      "its group waits until it is noticed, then goes on without it; one that "
      "returns gets model and rule from another",
      {.family = Family::decentralised, .different_data = true, .cost = "2 (g - 1) / g"});
}

}  // namespace motley
