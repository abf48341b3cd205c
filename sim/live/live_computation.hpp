#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "sim/engine/computing/real_steps.hpp"
#include "sim/live/compute_thread.hpp"
#include "sim/live/live_context.hpp"
#include "sim/scenario/noise.hpp"

namespace motley {

/// What a worker computes, really. Where computations are emulated each takes the time that the scenario
/// gives it: the rest is waited for. Work that is given up ends before the next layer of the model.
class LiveComputation {
 public:
  /// `is_given_up`: whether this is the moment.
  using IsGivenUp = std::function<bool(const Until&)>;
  LiveComputation(LiveContext& context, std::size_t rank, WorkerSamples& samples,
                  IsGivenUp is_given_up);

  // See Worker.
  std::optional<Gradient> gradient(const Model& x, std::size_t n, const Until& until);
  std::optional<Trained> local_steps(Model x, std::size_t steps, std::size_t n, UpdateRule& rule,
                                     const Until& until, const Parameters& shift);
  /// `ready` is called whenever the backward step would be through another bucket. Emulated only.
  Gradient gradient_by_buckets(const Model& x, std::size_t n,
                               const std::vector<GradientBucket>& buckets,
                               const std::function<void(const Parameters&)>& ready);
  void encode(double flops);
  double measure_speed(std::size_t steps, std::size_t n);
  void keep_losses() { real_.keep_losses(true); }
  std::span<const float> sample_losses() const { return real_.sample_losses(); }

 private:
  /// What a traced run shows: the version of the model, and how many samples.
  struct Shown {
    std::optional<std::uint64_t> version = {};
    std::size_t samples = 0;
  };
  /// How many samples' time a gradient of its batch takes, without noise.
  double samples_to_spend() const;
  double take_noise(std::size_t steps);
  /// When work of so many flops is done that begins now; now, where nothing is emulated.
  double end_of(double flops);
  void compute();
  void start_real();
  void join_real();
  /// Waits for the moment and for the real computation; false when it was given up.
  bool pass_until(double end_s, const Until& until, const Shown& what);
  void note_gradients();
  std::optional<double> run(const Until& until);

  LiveContext& context_;
  std::size_t rank_;
  WorkerSamples& samples_;
  IsGivenUp is_given_up_;
  StepNoise noise_;
  std::optional<StepNoise> measured_noise_;  // of calls of measure_speed() in a row
  std::unique_ptr<SpeedCurve> curve_;
  std::unique_ptr<Workspace> workspace_;
  RealSteps real_;
  std::atomic<double> real_end_s_ = 0;  // by the clock of the machine
  std::atomic<bool> give_up_ = false;
  ComputeThread thread_;  // the last: it ends first
};

}  // namespace motley
