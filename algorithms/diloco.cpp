/// DiLoCo: many local steps, then an outer step of momentum along the mean of what they did.
///   A. Douillard et al.: DiLoCo: Distributed Low-Communication Training of Language Models,
///   arXiv 2311.08105, 2023 [code].
///
///   synchronous:
///   worker:  loop: y <- x;  H times: y <- inner step of y with grad f(y; B samples)
///                  d <- mean of all workers' x - y
///                  m <- b m + d;   x <- x - eta_out (d + b m)
///
/// The inner rule is any (AdamW in the paper); its state stays with its worker. Models meet by
/// all-reduce. eta_out = 1, b = 0 and inner SGD is local SGD, to rounding.
///
///   asynchronous (B. Liu et al.: Asynchronous Local-SGD Training for Language Modeling, arXiv
///   2401.09135, 2024 [code]), with delayed Nesterov:
///   server:  loop: receive d from any worker;   x <- x - eta_out d / N;   s <- s + d
///                  after N of them: m <- b m + s / N;   x <- x - eta_out b m;   s <- 0
///                  send x to that worker, or when `grace` is over to all that came in it
///   worker:  loop: receive x;  y <- x;  H_i inner steps of y;   send x - y
///
/// N is `delay`, by default the number of workers. `dylu`: H_i = max(1, floor(H v_i / v_fastest)), by
/// the speeds described. `grace`: so long after a push the server waits for others before it answers
/// them together; each is applied as it comes [inferred].
///
///   streaming (A. Douillard et al.: Streaming DiLoCo with overlapping communication, arXiv 2501.18512,
///   2025 [doc]): P fragments of the model take turns, one every H / P steps
///   worker:  for fragment f:  H/P - V inner steps of y;   start the mean d of all workers' x_f - y_f
///                             V inner steps of y;   m_f <- b m_f + d;   x_f <- x_f - eta_out (d + b m_f)
///                             y_f <- a y_f + (1 - a) x_f
///
/// Fragments are equal slices of the model's vector [inferred; the paper takes layers]. An update is
/// that of one fragment. P = 1, V = 0 and a = 0 is the synchronous mode, to rounding.
///
/// When a worker is gone: the mean is over those present (drop), or waits for its return; asynchronous,
/// nobody waits for it. One that returns gets model, outer and inner rule from another, or the model
/// from the server.
#include <algorithm>
#include <cmath>

#include "algorithms/support/unused_option.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class DiLoCo : public Algorithm {
 public:
  enum class Mode { synchronous, asynchronous, streaming };

  struct Options : SgdSpec, AllReduceSpec {
    Mode mode = Mode::synchronous;
    std::size_t local_steps = 0;
    double outer_step_size = 0;
    double outer_momentum = 0;
    std::optional<std::size_t> delay;
    bool dylu = false;
    double grace_s = 0;
    std::size_t fragments = 4;
    std::size_t overlap_steps = 1;
    double mix = 0.5;

    static Fields<Options> fields() {
      const Options usual;
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "mode",
             .doc = "synchronous, asynchronous (through the server, with delayed Nesterov) or "
                    "streaming (the model in fragments, behind the inner steps)",
             .fallback = "synchronous",
             .choices = {"synchronous", "asynchronous", "streaming"}},
            &Options::mode);
      f.add({.name = "local_steps",
             .doc = "H: inner steps between two outer ones",
             .fallback = 50,
             .minimum = 1},
            &Options::local_steps);
      f.add({.name = "outer_step_size",
             .doc = "eta_out",
             .fallback = 0.7,
             .minimum = 0,
             .above_minimum = true},
            &Options::outer_step_size);
      f.add({.name = "outer_momentum",
             .doc = "b: Nesterov momentum of the outer step",
             .fallback = 0.9,
             .minimum = 0,
             .maximum = 1,
             .below_maximum = true},
            &Options::outer_momentum);
      f.add(
          {.name = "delay",
           .doc = "N of asynchronous: momentum acts with every N-th push; absent: as many as there "
                  "are workers",
           .minimum = 1},
          &Options::delay);
      f.add({.name = "dylu",
             .doc = "asynchronous: local steps in proportion to speed, local_steps for the fastest",
             .fallback = false},
            &Options::dylu);
      f.add({.name = "grace",
             .doc = "asynchronous: pushes within this time are answered together",
             .fallback = "0s",
             .dimension = Dimension::time,
             .minimum = 0},
            &Options::grace_s);
      f.add({.name = "fragments",
             .doc = "P of streaming; at most local_steps, and the parameters of the model",
             .fallback = static_cast<int>(usual.fragments),
             .minimum = 1},
            &Options::fragments);
      f.add(
          {.name = "overlap_steps",
           .doc = "V of streaming: inner steps during which a fragment's mean is under way; fewer "
                  "than local_steps / fragments",
           .fallback = static_cast<int>(usual.overlap_steps),
           .minimum = 0},
          &Options::overlap_steps);
      f.add({.name = "mix",
             .doc = "a of streaming: weight of a worker's own fragment when the outer one comes",
             .fallback = usual.mix,
             .minimum = 0,
             .maximum = 1},
            &Options::mix);
      f.include(AllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (options.mode == Mode::asynchronous && facts.servers > 1) {
      throw InputError(place,
                       "diloco needs a single server when it is asynchronous: several would "
                       "apply pushes in different orders");
    }
    check_mode(options, place);
    if (options.mode != Mode::streaming) return;
    if (options.fragments > options.local_steps) {
      throw InputError(place / "fragments",
                       "must be at most local_steps, " + std::to_string(options.local_steps),
                       options.fragments);
    }
    if (facts.parameters > 0 && options.fragments > facts.parameters) {
      throw InputError(place / "fragments",
                       "must be at most the number of the model's parameters, " +
                           std::to_string(facts.parameters),
                       options.fragments);
    }
    if (options.overlap_steps >= options.local_steps / options.fragments &&
        options.overlap_steps > 0) {
      throw InputError(place / "overlap_steps",
                       "must be less than the steps from one fragment to the next, " +
                           std::to_string(options.local_steps / options.fragments),
                       options.overlap_steps);
    }
  }

  DiLoCo(const Options& options, const RunFacts& facts)
      : options_(options),
        steps_(facts.workers, options.local_steps),
        delay_(options.delay.value_or(facts.workers)),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {
    outer_.step_size = options.outer_step_size;
    outer_.momentum = options.outer_momentum;
    outer_.rule.kind = RuleSpec::Kind::nesterov;
    if (!options.dylu) return;
    const std::vector<double> rates = options.batch_size.step_rates(facts.speeds);
    const double fastest = *std::max_element(rates.begin(), rates.end());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const double share = rates[i] / fastest;
      // A product that rounding has put just below a whole number is that number.
      const double steps = std::floor(static_cast<double>(options.local_steps) * share + 1e-9);
      steps_[i] = std::max<std::size_t>(1, static_cast<std::size_t>(steps));
    }
  }

  bool needs_server() const override { return options_.mode == Mode::asynchronous; }
  bool workers_begin_with_a_model() const override { return needs_server(); }
  ExchangeSpec exchange() const override { return options_; }
  bool sends_parts() const override { return options_.mode == Mode::streaming; }
  double gradients_per_update(std::size_t workers) const override {
    const auto steps = static_cast<double>(options_.local_steps);
    if (options_.mode == Mode::asynchronous) return steps;
    const double all = static_cast<double>(workers) * steps;
    return options_.mode == Mode::streaming ? all / static_cast<double>(options_.fragments) : all;
  }

  void worker(Worker& me) const override {
    switch (options_.mode) {
      case Mode::synchronous:
        return meet(me);
      case Mode::asynchronous:
        return push_differences(me);
      case Mode::streaming:
        return stream(me);
    }
  }

  void server(Server& me) const override {
    Model x = me.initial_model();
    Parameters m = Parameters::zeros(x.size());
    Parameters sum = m;
    std::size_t pushes = 0;
    const auto eta = static_cast<float>(options_.outer_step_size);
    const auto b = static_cast<float>(options_.outer_momentum);
    const float share = 1.0F / static_cast<float>(delay_);
    me.broadcast_model(x);
    me.on_join([&](std::size_t worker) { me.send_model(worker, x); });
    for (;;) {
      std::vector<std::size_t> senders;
      const Push first = me.next_push();
      const double until = me.clock() + options_.grace_s;
      for (std::optional<Push> push = first; push; push = me.next_push_before(until)) {
        x -= (eta * share) * push->update();
        sum += push->update();
        if (++pushes % delay_ == 0) {
          m *= b;
          m += share * sum;
          x -= (eta * b) * m;
          sum = Parameters::zeros(x.size());
        }
        me.finish_update(x, *push);
        senders.push_back(push->sender);
        if (options_.grace_s == 0) break;
      }
      for (const std::size_t worker : senders) me.send_model(worker, x);
    }
  }

 private:
  /// Refuses what another mode would read.
  static void check_mode(const Options& options, const Place& place) {
    const Options usual;
    if (options.mode != Mode::asynchronous) {
      const char* const other = "mode = asynchronous";
      refuse_unused(options.delay.has_value(), place / "delay", other);
      refuse_unused(options.dylu, place / "dylu", other);
      refuse_unused(options.grace_s != usual.grace_s, place / "grace", other);
    }
    if (options.mode != Mode::streaming) {
      const char* const other = "mode = streaming";
      refuse_unused(options.fragments != usual.fragments, place / "fragments", other);
      refuse_unused(options.overlap_steps != usual.overlap_steps, place / "overlap_steps", other);
      refuse_unused(options.mix != usual.mix, place / "mix", other);
    }
  }

  void meet(Worker& me) const {
    UpdateRule inner(options_, steps_per_epoch_);
    UpdateRule outer(outer_, 1);
    Model x = me.initial_model();
    for (;;) {
      me.share(x, outer, inner);
      const Model y =
          me.local_steps(x, options_.local_steps, options_.batch_size[me.rank()], inner);
      Parameters d = x;
      d -= 1.0F * y;
      me.all_reduce_mean(d);
      me.step(outer, x, d);
      if (me.leads()) me.finish_update(x);  // all replicas are equal
    }
  }

  void push_differences(Worker& me) const {
    UpdateRule inner(options_, steps_per_epoch_);
    const std::size_t steps = steps_[me.rank()];
    me.record_decision("local_steps", static_cast<double>(steps));
    for (;;) {
      const Model x = me.pull_newest();
      const Trained y = me.local_steps(x, steps, options_.batch_size[me.rank()], inner);
      Parameters d = x;
      d -= 1.0F * y;
      me.push_update(std::move(d), y);
    }
  }

  void stream(Worker& me) const {
    UpdateRule inner(options_, steps_per_epoch_);
    Model x = me.initial_model();
    Model y = x;
    Parameters m = Parameters::zeros(x.size());
    const std::size_t fragments = options_.fragments;
    const std::size_t batch = options_.batch_size[me.rank()];
    std::vector<Group*> groups;
    for (std::size_t f = 0; f < fragments; ++f) {
      groups.push_back(&me.group("fragment " + std::to_string(f), me.everybody().ranks()));
    }
    for (std::uint64_t turn = 0;; ++turn) {
      me.share(x, y, m, inner, turn);
      const std::size_t f = turn % fragments;
      const std::size_t begin = x.size() * f / fragments;
      const std::size_t size = x.size() * (f + 1) / fragments - begin;
      // H steps are not always a multiple of P.
      const std::size_t steps =
          options_.local_steps * (f + 1) / fragments - options_.local_steps * f / fragments;
      y = me.local_steps(std::move(y), steps - options_.overlap_steps, batch, inner);
      Parameters d = x.slice(begin, size);
      d -= 1.0F * y.slice(begin, size);
      Pending<Averaged> mean = groups[f]->start_all_reduce_mean(d);
      if (options_.overlap_steps > 0) {
        y = me.local_steps(std::move(y), options_.overlap_steps, batch, inner);
      }
      d = mean.wait();
      outer_step(d.values(), x.writable().subspan(begin, size), m.writable().subspan(begin, size));
      mix(x.values().subspan(begin, size), y.writable().subspan(begin, size));
      if (groups[f]->leads()) me.finish_update(x);
    }
  }

  /// Of a fragment: m <- b m + d;   x <- x - eta_out (d + b m).
  void outer_step(std::span<const float> d, std::span<float> x, std::span<float> m) const {
    const auto eta = static_cast<float>(options_.outer_step_size);
    const auto b = static_cast<float>(options_.outer_momentum);
    for (std::size_t i = 0; i < d.size(); ++i) {
      m[i] = b * m[i] + d[i];
      x[i] -= eta * (d[i] + b * m[i]);
    }
  }

  void mix(std::span<const float> x, std::span<float> y) const {
    const auto a = static_cast<float>(options_.mix);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = a * y[i] + (1 - a) * x[i];
  }

  Options options_;
  std::vector<std::size_t> steps_;  // H_i, by rank
  std::size_t delay_;               // N
  double steps_per_epoch_;
  UpdateSpec outer_;
};

}  // namespace

AlgorithmInfo diloco() {
  return describe<DiLoCo>(
      "diloco",
      "many local steps, then an outer step with Nesterov momentum; also asynchronous and "
      "streaming",
      "Douillard et al. 2023, arXiv 2311.08105; modes: Liu et al. 2024, arXiv 2401.09135; "
      "Douillard "
      "et al. 2025, arXiv 2501.18512",
      Listed{170},
      "the mean is over those present; one that returns gets model and rules from another, or the "
      "model from the server",
      {.family = Family::local, .different_data = true, .cost = "2 (W - 1), every H steps"});
}

}  // namespace motley
