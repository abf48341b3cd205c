/// Grouping-SGD: workers of like speed are synchronous among themselves, the groups asynchronous to
/// each other.
///   Grouping-SGD, IEEE/ACM CCGRID 2019, doi 10.1109/CCGRID.2019.00053.
///
///   worker:  measure the own speed, tell it;  loop: receive x;  send grad f(x; B samples)
///   server:  groups <- k-means of the speeds;  send x to all
///            loop: receive g from any worker, keep it for its group G;
///                  when all of G have come:  Y <- 1 + updates by other groups since G's last one
///                    x <- x - eta (1/(|G| Y)) sum_{i in G} g_i;   send x to G
///
/// As in the published code [code]: one momentum for all groups, weight decay not scaled by 1/Y, and
/// the step-size schedule counted in updates of which (N/B)(groups/W) make an epoch. The layers are
/// meant to lie on several servers, the input's on the fastest (placement = fast_first).
///
/// Left open by the publication, and taken as follows [inferred]: the agglomerative start of k-means
/// merges by Ward's criterion; a worker's speed is that of `profile_steps` gradients' time, spent
/// before the first update. Nothing is measured when there is nothing to find out (one group, one per
/// worker, or groups given by name). The groups are found once.
///
/// When a worker is gone: a group is complete with those of it that are present (drop), or waits for its
/// return. One that returns is sent the present model. Who is not there to be measured counts as fast
/// as the cluster's description says, as do all when a server returns.
#include <algorithm>
#include <map>

#include "algorithms/support/data_shares.hpp"
#include "algorithms/support/speed_groups.hpp"
#include "algorithms/support/worker_names.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Grouping : public Algorithm {
 public:
  struct Options : SgdSpec, ExchangeSpec {
    WorkerGroups groups;
    bool damping = true;
    std::size_t profile_steps = 0;
    bool data_shares = false;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add(WorkerGroups::field(), &Options::groups);
      f.add({.name = "damping",
             .doc = "scale a group's gradient by 1/Y, Y = 1 + updates by others since its last",
             .fallback = true},
            &Options::damping);
      f.add({.name = "profile_steps",
             .doc = "gradients' time spent to measure speeds, when groups must be found",
             .fallback = 10,
             .minimum = 1},
            &Options::profile_steps);
      f.add(
          {.name = "data_shares",
           .doc = "give each worker a part of the data in proportion to its group's slowest speed",
           .fallback = false},
          &Options::data_shares);
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.groups.of_workers(facts, place / "groups");
    if (options.data_shares) check_data_can_be_dealt(facts, place / "data_shares");
  }

  Grouping(const Options& options, const RunFacts& facts)
      : options_(options),
        facts_(facts),
        groups_(options.groups.of_workers(facts, {})),
        needs_speeds_(groups_.empty() || options.data_shares) {}

  ExchangeSpec exchange() const override { return options_; }

  void worker(Worker& me) const override {
    if (needs_speeds_)
      me.tell(me.measure_speed(options_.profile_steps, options_.batch_size[me.rank()]));
    if (options_.data_shares) {
      const Model x = me.pull();  // brings everybody's share
      me.draw_from_share(*x.notes);
      me.push(me.gradient(x, options_.batch_size[me.rank()]));
    }
    for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
  }

  void server(Server& me) const override {
    Model x = me.initial_model();
    std::vector<std::size_t> group_of = groups_;
    if (needs_speeds_) {
      std::vector<double> speeds = facts_.speeds;
      for (double& speed : speeds) speed /= facts_.flops_per_sample;
      if (!me.is_resumed()) {
        me.on_join([](std::size_t) {});  // it is measured first
        for (const Push& push : me.next_push_of_each()) speeds[push.sender] = push.numbers.at(0);
      }
      if (group_of.empty()) {
        group_of = group_by_speed(options_.batch_size.step_rates(speeds), options_.groups.count);
      }
      if (options_.data_shares) x.notes = shares_of(group_of, speeds);
    }
    const std::size_t groups = 1 + *std::max_element(group_of.begin(), group_of.end());
    std::vector<std::size_t> size(groups, 0);  // of those present
    for (std::size_t group = 0; group < groups; ++group) {
      size[group] = members_present(me, group_of, group);
    }
    for (std::size_t worker = 0; worker < me.workers(); ++worker) {
      me.record_decision(worker, "group", static_cast<double>(group_of[worker]));
    }
    UpdateRule rule(options_, facts_.updates_per_epoch(options_.batch_size.sum(), groups));
    std::vector<std::vector<Push>> pushed(groups);
    std::vector<std::uint64_t> last_update(groups, 0);
    std::uint64_t updates = 0;
    me.broadcast_model(x);
    me.on_join([&, shares = x.notes](std::size_t worker) {
      Model with_shares = x;
      with_shares.notes = shares;
      me.send_model(worker, with_shares);
    });
    x.notes = nullptr;
    for (;;) {
      Event event = *me.next_event();
      const std::size_t group = group_of[event.worker];
      std::vector<Push>& pushes = pushed[group];
      if (event.kind != Event::Kind::message) {
        me.discard_of(event.worker, pushes);  // it is gone, or begins anew
        size[group] = members_present(me, group_of, group);
      } else if (event.message.kind == "gradient") {
        pushes.push_back(std::move(event.message));
      }
      if (pushes.empty() || pushes.size() < size[group]) continue;

      std::sort(pushes.begin(), pushes.end(),
                [](const Push& a, const Push& b) { return a.sender < b.sender; });
      const std::uint64_t y = 1 + (updates - last_update[group]);
      me.step(rule, x, me.mean_over_samples(pushes),
              options_.damping ? 1.0F / static_cast<float>(y) : 1.0F);
      last_update[group] = ++updates;
      me.finish_update(x, pushes);
      for (const Push& answered : pushes) me.send_model(answered.sender, x);
      pushes.clear();
    }
  }

 private:
  static std::size_t members_present(Server& me, const std::vector<std::size_t>& group_of,
                                     std::size_t group) {
    return static_cast<std::size_t>(std::ranges::count_if(
        me.present(), [&](std::size_t worker) { return group_of[worker] == group; }));
  }

  static Notes shares_of(const std::vector<std::size_t>& group_of,
                         const std::vector<double>& speeds) {
    std::map<std::size_t, double> slowest;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      double& speed = slowest.try_emplace(group_of[i], speeds[i]).first->second;
      speed = std::min(speed, speeds[i]);
    }
    std::vector<double> shares;
    for (const std::size_t group : group_of) shares.push_back(slowest.at(group));
    return std::make_shared<const std::vector<double>>(std::move(shares));
  }

  Options options_;
  RunFacts facts_;
  std::vector<std::size_t> groups_;  // of each worker; empty: to be found
  bool needs_speeds_;
};

}  // namespace

AlgorithmInfo grouping() {
  return describe<Grouping>(
      "grouping", "groups of like speed, synchronous inside, asynchronous to each other",
      "Grouping-SGD, CCGRID 2019, doi 10.1109/CCGRID.2019.00053", Listed{60},
      "a group is complete with those present; one that returns is sent the present model",
      {.family = Family::hierarchical,
       .needs = "a server",
       .cost = "2 for each member of the group"});
}

}  // namespace motley
