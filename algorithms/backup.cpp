/// Synchronous SGD with backup workers: every update takes the first m gradients and drops the late
/// ones.
///   J. Chen, X. Pan, R. Monga, S. Bengio, R. Jozefowicz: Revisiting Distributed Synchronous SGD,
///   arXiv 1604.00981, 2016.
///
///   server:  loop: receive gradients until m = W - b are of the present x, dropping older ones;
///                  x <- x - eta (1/m) sum g_i;   send x to those who wait
///   worker:  loop: receive x;  send grad f(x; B samples)
///
/// b = 0 is sync. Who is late, and what becomes of it: by `late` = finish a late worker ends its
/// gradient, which is dropped on arrival, and gets the present model then (as the published system
/// does); by `late` = cancel the new model goes to everybody and stops the work under way: waiting
/// for the m fastest at no loss for the others, the best a synchronous method can do (m-sync).
///
/// When a worker is gone: m is at most the number of those present (drop), or stays. One that returns is
/// sent the present model.
#include <algorithm>

#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Backup : public Algorithm {
 public:
  enum class Late { finish, cancel };

  struct Options : SgdSpec, ExchangeSpec {
    std::optional<std::size_t> backup;
    std::optional<std::size_t> wait_for;
    Late late = Late::finish;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "backup",
             .doc = "b: gradients of each step that are not waited for; this or wait_for",
             .minimum = 0},
            &Options::backup);
      f.add({.name = "wait_for",
             .doc = "m: how many gradients of each step are waited for; this or backup",
             .minimum = 1},
            &Options::wait_for);
      f.add(
          {.name = "late",
           .doc = "finish (a late gradient is completed and dropped) or cancel (a new model stops "
                  "the work under way)",
           .fallback = "finish",
           .choices = {"finish", "cancel"}},
          &Options::late);
      f.include(ExchangeSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (options.backup.has_value() == options.wait_for.has_value()) {
      throw InputError(place, "needs exactly one of \"backup\" and \"wait_for\"");
    }
    if (options.backup && *options.backup >= facts.workers) {
      throw InputError(place / "backup",
                       "must be below the number of workers, " + std::to_string(facts.workers),
                       *options.backup);
    }
    if (options.wait_for && *options.wait_for > facts.workers) {
      throw InputError(place / "wait_for",
                       "must be at most the number of workers, " + std::to_string(facts.workers),
                       *options.wait_for);
    }
    if (options.late == Late::cancel && options.overlap == ExchangeSpec::Overlap::layers) {
      throw InputError(place / "overlap",
                       "layers cannot go with late = cancel: a layer's new weights would stop work "
                       "that waits for the others");
    }
  }

  Backup(const Options& options, const RunFacts& facts)
      : options_(options),
        m_(options.wait_for ? *options.wait_for : facts.workers - *options.backup),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum() * m_, facts.workers)) {}

  ExchangeSpec exchange() const override { return options_; }
  ActingBound bound() const override { return {options_.backup ? "backup" : "wait_for", ""}; }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    me.broadcast_model(x);
    for (;;) {
      std::vector<Push> pushes;
      while (pushes.size() < std::min(m_, me.count_present())) {
        Event event = *me.next_event();
        if (event.kind != Event::Kind::message) {
          me.discard_of(event.worker, pushes);  // it is gone, or begins anew
          continue;
        }
        Push& push = event.message;
        if (me.staleness(push) > 0) {
          me.discard(push);
          if (options_.late == Late::finish) me.send_model(push.sender, x);
        } else {
          pushes.push_back(std::move(push));
        }
      }
      std::sort(pushes.begin(), pushes.end(),
                [](const Push& a, const Push& b) { return a.sender < b.sender; });
      me.step(rule, x, me.mean_over_samples(pushes));
      me.finish_update(x, pushes);
      if (options_.late == Late::cancel) {
        me.broadcast_model(x);
      } else {
        for (const Push& push : pushes) me.send_model(push.sender, x);
      }
    }
  }

  void worker(Worker& me) const override {
    if (options_.late == Late::finish) {
      for (;;) me.answer_with_gradient(options_.batch_size[me.rank()]);
    }
    for (;;) {
      const Model x = me.pull_newest();
      std::optional<Gradient> g =
          me.gradient(x, options_.batch_size[me.rank()], {.newer_model = true});
      if (g) me.push(std::move(*g));
    }
  }

 private:
  Options options_;
  std::size_t m_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo backup() {
  return describe<Backup>(
      "backup", "synchronous, but the slowest gradients of a step are dropped",
      "Chen et al. 2016, arXiv 1604.00981", Listed{120},
      "no more gradients are waited for than workers are present; one that "
      "returns is sent the present model",
      {.family = Family::synchronous, .needs = "a server", .failures = true, .cost = "2 W"});
}

}  // namespace motley
