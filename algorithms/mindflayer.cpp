/// MindFlayer SGD: Rennala SGD under random times. A gradient that takes too long is given up and begun
/// anew.
///   A. Maranjyan, O. S. Omar, P. Richtarik: MindFlayer SGD: Efficient Parallel SGD in the Presence of
///   Heterogeneous and Random Worker Compute Times, arXiv 2410.04285, 2024 [code, second hand].
///
///   server:  loop: send x to all;  wait until every worker i has made b_i trials
///                  x <- x - eta (sum of the gradients that were finished) / (sum_i b_i p_i)
///   worker:  loop: receive x;  b_i times: begin grad f(x; B samples);
///                  send it if it is done within t_i, give it up otherwise
///
/// p_i is the chance that a trial is done in time. t_i is `patience` times the time that the cluster's
/// description gives a gradient, b_i is `trials`. The paper takes p_i from the known law of the times; here
/// it is given, or measured: i's share of finished trials up to now [inferred]. A trial that is given up is
/// told in a message of no bytes. A round in which nothing is finished is made again, up to 1000 times in a
/// row; a patience below 1 is refused where no noise or change can make a worker faster than described.
///
/// It wins where times have heavy tails, and only there. A patience of inf and one trial is sync.
///
/// When a worker is gone: the round needs nothing of it (drop), and the trials that it made count; or it
/// waits for its return. One that returns is sent the present model and makes all its trials; b_i is then
/// what it made before and after.
#include <algorithm>

#include "algorithms/support/attendance.hpp"
#include "algorithms/support/vain_rounds.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class MindFlayer : public Algorithm {
 public:
  struct Options : SgdSpec {
    std::optional<double> patience;
    std::size_t trials = 0;
    std::optional<double> chance;
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "patience",
             .doc = "a trial is given up after this many times the gradient's time by the "
                    "cluster's description",
             .fallback = 2.0,
             .minimum = 0,
             .above_minimum = true,
             .word = "inf"},
            &Options::patience);
      f.add({.name = "trials",
             .doc = "b_i: how many gradients every worker begins in a round",
             .fallback = 1,
             .minimum = 1},
            &Options::trials);
      f.add({.name = "chance",
             .doc = "p_i: that a trial is done in time; measured: each worker's share up to now",
             .fallback = "measured",
             .minimum = 0,
             .maximum = 1,
             .above_minimum = true,
             .word = "measured"},
            &Options::chance);
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (options.patience && *options.patience < 1 && !facts.may_be_faster) {
      throw InputError(place / "patience",
                       "must be at least 1, or nothing is ever finished: no worker of this cluster "
                       "is at times faster than described",
                       *options.patience);
    }
    if (facts.servers > 1) {
      throw InputError(place,
                       "mindflayer needs a single server: several could end a round with different "
                       "trials");
    }
  }

  MindFlayer(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum() * options.trials)),
        trial_s_(facts.workers, forever) {
    for (std::size_t i = 0; options.patience && i < facts.workers; ++i) {
      const auto samples = static_cast<double>(options.batch_size[i]);
      trial_s_[i] = *options.patience * samples * facts.flops_per_sample / facts.speeds[i];
    }
  }

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }
  double gradients_per_update(std::size_t workers) const override {
    return static_cast<double>(workers * options_.trials);
  }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    VainRounds in_vain("no trial was finished");
    Model x = me.initial_model();
    std::vector<Trials> trials(me.workers());
    Attendance attendance(me);
    me.on_join([&](std::size_t i) {
      trials[i].since_joined = 0;
      me.send_model(i, x);
    });
    for (;;) {
      me.broadcast_model(x);
      for (Trials& of_worker : trials) of_worker.begin_round();
      std::vector<Push> finished;
      do {
        Event event = *me.next_event();
        attendance.note(event);
        if (event.kind != Event::Kind::message) continue;
        Push& push = event.message;
        const bool is_finished = push.kind == "gradient";
        if (!is_of(push, x)) {
          if (is_finished) me.discard(push);
          continue;
        }
        trials[push.sender].count(is_finished);
        if (is_finished) finished.push_back(std::move(push));
      } while (!attendance.all(
          [&](std::size_t i) { return trials[i].since_joined >= options_.trials; }));
      in_vain.count(finished.size());
      if (finished.empty()) continue;
      double expected = 0;  // sum_i b_i p_i
      for (const Trials& of_worker : trials) {
        expected += static_cast<double>(of_worker.in_round) *
                    options_.chance.value_or(of_worker.share_finished());
      }
      std::ranges::stable_sort(finished, {}, &Push::sender);
      const auto weight = static_cast<float>(1.0 / expected);
      me.step(rule, x, me.weighted_sum(finished, std::vector<float>(finished.size(), weight)));
      me.finish_update(x, finished);
    }
  }

  void worker(Worker& me) const override {
    for (;;) {
      const Model x = me.pull_newest();
      for (std::size_t trial = 0; trial < options_.trials; ++trial) {
        std::optional<Gradient> g =
            me.gradient(x, options_.batch_size[me.rank()],
                        {.deadline = me.clock() + trial_s_[me.rank()], .newer_model = true});
        if (g)
          me.push(std::move(*g));
        else
          me.tell(static_cast<double>(x.version));
      }
    }
  }

 private:
  /// Of one worker.
  struct Trials {
    std::size_t in_round = 0;
    std::size_t since_joined = 0;  // of those in the round: what is waited for
    double all = 0;                // since the start
    double finished = 0;

    void begin_round() { in_round = since_joined = 0; }
    void count(bool is_finished) {
      ++in_round;
      ++since_joined;
      all += 1;
      if (is_finished) finished += 1;
    }
    double share_finished() const { return all > 0 ? finished / all : 0; }
  };

  /// Whether it is of a trial at this model.
  static bool is_of(const Push& push, const Model& x) {
    if (push.kind == "gradient") return push.version == x.version;
    return push.numbers.front() == static_cast<double>(x.version);
  }

  Options options_;
  double updates_per_epoch_;
  std::vector<double> trial_s_;  // t_i
};

}  // namespace

AlgorithmInfo mindflayer() {
  return describe<MindFlayer>(
      "mindflayer", "all workers' gradients at one model; those that take too long are given up",
      "Maranjyan et al. 2024, arXiv 2410.04285", Listed{144},
      "a round needs nothing of it, its trials count; one that returns is sent the present model",
      {.family = Family::asynchronous,
       .needs = "a server",
       .cost = "W, and every gradient that is done in time"});
}

}  // namespace motley
