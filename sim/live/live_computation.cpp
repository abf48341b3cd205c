#include "sim/live/live_computation.hpp"

#include <algorithm>
#include <stdexcept>

namespace motley {

LiveComputation::LiveComputation(LiveContext& context, std::size_t rank, WorkerSamples& samples,
                                 IsGivenUp is_given_up)
    : context_(context),
      rank_(rank),
      samples_(samples),
      is_given_up_(std::move(is_given_up)),
      noise_(context.setup().cluster.workers[rank].noise, context.setup().scenario.seed, rank),
      workspace_(context.setup().problem.make_workspace()) {
  const HostPlan& host = context.setup().cluster.workers[rank];
  if (host.changes) {
    curve_ = std::make_unique<SpeedCurve>(*host.changes, context.setup().scenario.seed);
  }
}

// ---- The time it takes ----

double LiveComputation::samples_to_spend() const {
  const HostPlan& host = context_.setup().cluster.workers[rank_];
  const std::size_t batch = real_.batch();
  if (host.max_batch && batch > *host.max_batch) {
    throw std::runtime_error(host.name + " was to compute a batch of " + std::to_string(batch) +
                             " samples, and its max_batch is " + std::to_string(*host.max_batch));
  }
  return host.step.samples_at_full_speed(batch, host.speed_flops,
                                         context_.setup().flops_per_sample);
}

double LiveComputation::take_noise(std::size_t steps) {
  measured_noise_.reset();
  return noise_.take(steps);
}

double LiveComputation::end_of(double flops) {
  const double now = context_.clock();
  if (!context_.emulate()) return now;
  const double seconds = flops / context_.setup().cluster.workers[rank_].speed_flops;
  return curve_ ? curve_->end_of(now, seconds) : now + seconds;
}

bool LiveComputation::pass_until(double end_s, const Until& until, const Shown& what) {
  LogEntry entry;
  entry.kind = LogEntry::Kind::computes;
  entry.time_s = context_.clock();
  entry.version = what.version;
  entry.count = what.samples;
  const double begin_s = entry.time_s;
  context_.note(entry);
  bool given_up = until.ever() && is_given_up_(until);
  // The end comes first when both are at the same moment, as in a simulation.
  while (!given_up && !(context_.clock() >= end_s && thread_.is_done())) {
    const double alarm =
        context_.clock() < end_s ? std::min(end_s, until.deadline) : until.deadline;
    context_.post().wait(alarm, [&] {
      return (until.ever() && is_given_up_(until)) ||
             (thread_.is_done() && context_.clock() >= end_s);
    });
    const bool is_done = thread_.is_done() && context_.clock() >= end_s;
    given_up = !is_done && until.ever() && is_given_up_(until);
  }
  entry.kind = LogEntry::Kind::has_computed;
  entry.time_s = context_.clock();
  context_.note(entry);
  if (given_up) {
    entry.kind = LogEntry::Kind::discards;
    entry.value = entry.time_s - begin_s;
    entry.who = rank_;
    context_.note(entry);
    return false;
  }
  if (context_.emulate()) {
    RunLog& log = context_.log();
    ++log.computations;
    log.computed_s += end_s - begin_s;
    const double late = real_end_s_ - LiveClock::machine_s() + entry.time_s - end_s;
    if (late > 0) {
      ++log.overruns;
      log.overrun_s += late;
    }
  }
  return true;
}

// ---- The real computation ----

void LiveComputation::compute() {
  try {
    real_.compute(context_.setup().problem, *workspace_, samples_, &give_up_);
  } catch (const GivenUp&) {  // pass_until() knows
  }
  real_end_s_ = LiveClock::machine_s();
}

void LiveComputation::start_real() {
  real_.clear_losses();
  real_.prepare();
  real_end_s_ = 0;
  if (!context_.setup().problem.is_real()) return;
  samples_.draw(real_.samples());
  give_up_ = false;
  thread_.start([this] { compute(); });
}

void LiveComputation::join_real() {
  if (context_.setup().problem.is_real()) thread_.finish();
}

void LiveComputation::note_gradients() {
  const bool real = context_.setup().problem.is_real();
  for (const double loss : real_.losses()) {
    context_.gradient_computed(real_.batch(), real ? std::optional(loss) : std::nullopt);
  }
  context_.post().throw_if_over();
}

std::optional<double> LiveComputation::run(const Until& until) {
  // The thread reads what is set up here: it must be through before that is taken apart.
  struct Join {
    LiveComputation& computation;
    ~Join() {
      computation.give_up_ = true;
      try {
        computation.thread_.finish();
      } catch (...) {  // of what nobody wants any more
      }
    }
  };
  const double begin_s = context_.clock();
  const double end_s =
      end_of(take_noise(real_.steps()) * samples_to_spend() * context_.setup().flops_per_sample);
  const Join guard{*this};
  start_real();
  if (!pass_until(end_s, until, {real_.version(), real_.samples()})) {
    give_up_ = true;
    context_.post().wait(forever, [this] { return thread_.is_done(); });
    if (context_.setup().problem.is_real()) samples_.put_back();
    return std::nullopt;
  }
  const double passed = context_.clock() - begin_s;
  join_real();
  note_gradients();
  return passed;
}

// ---- Verbs ----

std::optional<Gradient> LiveComputation::gradient(const Model& x, std::size_t n,
                                                  const Until& until) {
  return real_.gradient(x, n, [&] { return run(until); });
}

std::optional<Trained> LiveComputation::local_steps(Model x, std::size_t steps, std::size_t n,
                                                    UpdateRule& rule, const Until& until,
                                                    const Parameters& shift) {
  return real_.local_steps(std::move(x), steps, n, rule, until, shift, [&] { return run(until); });
}

Gradient LiveComputation::gradient_by_buckets(const Model& x, std::size_t n,
                                              const std::vector<GradientBucket>& buckets,
                                              const std::function<void(const Parameters&)>& ready) {
  real_.set_up(x, n);
  const double begin_s = context_.clock();
  const double per_flop = take_noise(1) * samples_to_spend();
  double forward_flops = 0;
  for (const Layer& layer : context_.layers()) forward_flops += layer.forward_flops;
  double end_s = end_of(per_flop * (forward_flops + buckets.front().backward_flops));
  start_real();
  pass_until(end_s, Until{}, {x.version, n});
  join_real();
  Gradient g{real_.take_gradient(), x.version, n, 0, x.shard_versions};
  ready(g);
  for (std::size_t b = 1; b < buckets.size(); ++b) {
    end_s = end_of(per_flop * buckets[b].backward_flops);
    pass_until(end_s, Until{}, {x.version, n});
    ready(g);
  }
  g.compute_s = context_.clock() - begin_s;
  note_gradients();
  return g;
}

void LiveComputation::encode(double flops) {
  // In reality the time of encoding is what it is.
  if (flops > 0 && context_.emulate()) pass_until(end_of(flops), Until{}, {});
}

double LiveComputation::measure_speed(std::size_t steps, std::size_t n) {
  const double begin_s = context_.clock();
  if (!measured_noise_) measured_noise_ = noise_;  // those of the steps to come are not used up
  real_.set_batch(n);
  if (context_.emulate()) {
    pass_until(end_of(measured_noise_->take(steps) * samples_to_spend() *
                      context_.setup().flops_per_sample),
               Until{}, {.samples = steps * n});
  } else {
    // Really computed, at the initial model, with samples that come again.
    real_.set_up(context_.initial_model(), n, steps);
    start_real();
    pass_until(begin_s, Until{}, {.samples = steps * n});
    join_real();
    if (context_.setup().problem.is_real()) samples_.put_back();
    real_.take_gradient();
  }
  return static_cast<double>(steps * n) / (context_.clock() - begin_s);
}

}  // namespace motley
