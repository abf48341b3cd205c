/// Grouping-SGD: workers of like speed are synchronous among themselves, the groups asynchronous to
/// each other.
///   Grouping-SGD, IEEE/ACM CCGRID 2019, doi 10.1109/CCGRID.2019.00053.
///
///   worker:  measure the own throughput, tell it;  loop: receive x;  send grad f(x; B samples)
///   server:  groups <- clusters of the throughputs;  send x to all
///            loop: receive g from any worker, keep it for its group G;
///                  when all of G have come:  Y <- 1 + updates by other groups since G's last one
///                    x <- x - eta (1/(|G| Y)) sum_{i in G} g_i;   send x to G
///
/// As in the published code [code]: throughput is measured over asynchronous steps, communication included
/// (`profile: throughput`; compute leaves it out, which differs where links do); midpoint linkage makes a
/// fixed number of three groups of it; one momentum for all groups, weight decay not scaled by 1/Y, and the
/// step-size schedule counted in updates of which (N/B)(groups/W) make an epoch. The layers are meant to lie on
/// several servers, the input's on the fastest (placement = fast_first); its example has a server on every
/// worker's host ("on" of /cluster/servers).
///
/// `groups`: three is the authors' number, not a property of a cluster: give the number of its classes, or
/// lists. `auto` takes the number with the largest Calinski-Harabasz ratio, a path that the code has and does
/// not take, and for a reason: with any noise the nearest two throughputs are so close that it likes many
/// groups.
///
/// Left open by the publication, and taken as follows [inferred]: the authors' profile lasts one epoch; here it is
/// `profile_steps` gradients of the slowest worker long, in which everybody goes on at its own pace and
/// nothing is learnt, before the first update. Nothing is measured when there is nothing to find out
/// (one group, one per worker, or groups given by name). The groups are found once.
///
/// When a worker is gone: a group is complete with those of it that are present (drop), or waits for its
/// return. One that returns is sent the present model. Who is not there to be measured counts as fast
/// as the cluster's description says, as do all when a server returns.
#include <algorithm>
#include <map>

#include "algorithms/support/attendance.hpp"
#include "algorithms/support/data_shares.hpp"
#include "algorithms/support/speed_groups.hpp"
#include "algorithms/support/worker_names.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Grouping : public Algorithm {
 public:
  enum class Profile { throughput, compute };

  struct Options : SgdSpec, ExchangeSpec {
    WorkerGroups groups;
    bool damping = true;
    Profile profile = Profile::throughput;
    std::optional<std::size_t> profile_steps;
    bool data_shares = false;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add(WorkerGroups::field("3"), &Options::groups);
      f.add({.name = "damping",
             .doc = "scale a group's gradient by 1/Y, Y = 1 + updates by others since its last",
             .fallback = true},
            &Options::damping);
      f.add({.name = "profile",
             .doc = "what is measured when groups must be found: throughput (of asynchronous "
                    "steps, with their messages) or compute (gradients alone)",
             .fallback = "throughput",
             .choices = {"throughput", "compute"}},
            &Options::profile);
      f.add({.name = "profile_steps",
             .doc = "how long it is measured: this many gradients of the slowest worker, or epoch "
                    "(while all together compute one)",
             .fallback = 10,
             .minimum = 1,
             .word = "epoch"},
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
        needs_speeds_(groups_.empty() || options.data_shares),
        profile_s_(facts.epoch_s()) {
    if (!options.profile_steps) return;
    double slowest_s = 0;
    for (std::size_t i = 0; i < facts.workers; ++i) {
      const auto samples = static_cast<double>(options.batch_size[i]);
      slowest_s = std::max(slowest_s, samples * facts.flops_per_sample / facts.speeds[i]);
    }
    profile_s_ = static_cast<double>(*options.profile_steps) * slowest_s;
  }

  ExchangeSpec exchange() const override { return options_; }

  void worker(Worker& me) const override {
    const std::size_t batch = options_.batch_size[me.rank()];
    if (needs_speeds_ && options_.profile == Profile::compute) {
      me.tell(me.measure_speed(steps_alone(batch), batch));
    }
    if (options_.data_shares || measures_throughput()) {
      const Model x = first_model(me);
      if (options_.data_shares) me.draw_from_share(*x.notes);
      me.push(me.gradient(x, batch));
    }
    for (;;) me.answer_with_gradient(batch);
  }

  void server(Server& me) const override {
    Model x = me.initial_model();
    std::vector<std::size_t> group_of = groups_;
    if (needs_speeds_) {
      std::vector<double> speeds = facts_.speeds;
      for (double& speed : speeds) speed /= facts_.flops_per_sample;
      if (!me.is_resumed()) take_measured(me, x, speeds);
      if (group_of.empty()) {
        group_of = group_by_speed(options_.batch_size.step_rates(speeds), options_.groups.count);
      }
      x.notes = shares_of(group_of, speeds);  // also a sign that the groups are known
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
      } else if (event.message.kind == "gradient" && event.message.samples > 0) {
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
  bool measures_throughput() const {
    return needs_speeds_ && options_.profile == Profile::throughput;
  }

  /// How many gradients a worker alone is measured by.
  std::size_t steps_alone(std::size_t batch) const {
    if (options_.profile_steps) return *options_.profile_steps;
    const std::size_t passes = facts_.samples_per_epoch / (batch * facts_.workers);
    return std::max<std::size_t>(1, passes);
  }

  /// What a worker begins with, which brings everybody's share of the data. Up to then it takes steps whose
  /// gradients nobody uses, and tells how many samples per second these were when the time is over.
  Model first_model(Worker& me) const {
    constexpr double rounding = 1e-9;
    const std::size_t batch = options_.batch_size[me.rank()];
    Model x = me.pull();
    const double start = me.clock();
    std::uint64_t samples = 0;
    while (!x.notes) {
      const double spent_s = me.clock() - start;
      if (samples > 0 && spent_s >= profile_s_ * (1 - rounding)) {
        me.tell(static_cast<double>(samples) / spent_s);
      } else {
        me.measure_speed(1, batch);
        me.push({Parameters::zeros(x.size()), x.version, 0, 0, x.shard_versions});
        samples += batch;
      }
      x = me.pull();
    }
    return x;
  }

  /// Waits until everybody who is there has told its speed, and answers who does so by taking steps.
  void take_measured(Server& me, const Model& x, std::vector<double>& speeds) const {
    std::vector<bool> told(me.workers(), false);
    Attendance attendance(me);
    if (measures_throughput()) me.broadcast_model(x);
    me.on_join([&](std::size_t worker) {
      if (measures_throughput()) me.send_model(worker, x);  // it is measured first
    });
    while (!attendance.all([&](std::size_t i) { return told[i]; })) {
      const Event event = *me.next_event();
      attendance.note(event);
      if (event.kind != Event::Kind::message) {
        told[event.worker] = false;
      } else if (event.message.kind == "number") {
        told[event.worker] = true;
        speeds[event.worker] = event.message.numbers.front();
      } else {
        me.send_model(event.worker, x);
      }
    }
  }

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
  double profile_s_;  // how long throughput is measured
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
