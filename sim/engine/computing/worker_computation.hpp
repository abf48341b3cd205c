#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "sim/engine/collectives/gradient_buckets.hpp"
#include "sim/engine/computing/computation.hpp"
#include "sim/engine/computing/fetch_ahead.hpp"
#include "sim/engine/computing/host_work.hpp"
#include "sim/engine/computing/real_steps.hpp"
#include "sim/engine/computing/worker_samples.hpp"
#include "sim/engine/worker_mail.hpp"
#include "sim/learning/rules/update_rule.hpp"
#include "sim/scenario/noise.hpp"
#include "sim/vocabulary/ahead.hpp"

namespace motley {

/// What a worker computes: the virtual computation, and the real one that runs while it does.
class WorkerComputation : private Computation {
 public:
  WorkerComputation(World& world, std::size_t rank, WorkerMail& mail, WorkerSamples& samples);

  // See Worker.
  std::optional<Gradient> gradient(const Model& x, std::size_t n, const Until& until);
  std::optional<Trained> local_steps(Model x, std::size_t steps, std::size_t n, UpdateRule& rule,
                                     const Until& until, const Parameters& shift);
  Gradient gradient_by_layers(std::size_t n, const Ahead& how, const TakenAt& at);
  /// `ready` is called with the whole gradient whenever the backward step is through another bucket.
  Gradient gradient_by_buckets(const Model& x, std::size_t n,
                               const std::vector<GradientBucket>& buckets,
                               const std::function<void(const Parameters&)>& ready);
  /// Computes so much, none of it of a gradient.
  void encode(double flops);
  double measure_speed(std::size_t steps, std::size_t n);
  void keep_losses() { real_.keep_losses(true); }
  /// What a gradient touches, which will be asked for soon.
  void fetch_ahead() const { motley::fetch_ahead(&work_, 384); }
  /// The machine has failed. What was under way in reality ends with the actor's stack.
  void lose_everything();
  std::span<const float> sample_losses() const { return real_.sample_losses(); }

 private:
  void prepare() override { real_.prepare(); }
  void unprepare() override { real_.unprepare(); }
  void compute(unsigned thread) override;
  /// Whether what is under way is to be given up now.
  bool is_given_up(const Until& until) const;
  /// Of the next so many steps, added up.
  double take_noise(std::size_t steps);
  /// The flops of a gradient of its batch on this worker, without noise, over those of one
  /// sample.
  double samples_to_spend();
  /// For a traced run: what the next virtual time is spent on. `version`: of the model.
  void show(std::optional<std::uint64_t> version, std::size_t samples);
  /// Lets the virtual time of so many flops pass. False when it was given up.
  bool execute(double flops, const Until& until);
  /// Starts the real computation of what is set up.
  void start_real(double flops);
  /// At its virtual end: returns when it is done.
  void join_real();
  /// Ends the run if it is over now.
  void record_gradients();
  /// Draws the samples of all steps, starts the real computation, lets the virtual time pass,
  /// and waits for both. Returns the virtual time it took, or nothing when it was given up.
  std::optional<double> run(const Until& until);

  // What every step touches stands together: with thousands of workers all of it comes from far away.
  HostWork work_;
  World& world_;
  std::size_t rank_;
  bool interruptible_ = false;  // by what arrives
  // Of the last batch: asked for every step, and what it follows from is far away in memory.
  std::size_t batch_spent_ = std::numeric_limits<std::size_t>::max();
  double samples_spent_ = 0;
  StepNoise noise_;
  WorkerMail& mail_;
  WorkerSamples& samples_;
  RealSteps real_;
  std::optional<StepNoise> measured_noise_;  // ahead of it, while speeds are measured
};

}  // namespace motley
