#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "sim/engine/computing/worker_samples.hpp"
#include "sim/learning/models/problem.hpp"
#include "sim/learning/rules/update_rule.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// What a worker really computes, in a simulation and in a live run alike: one gradient, or several steps
/// of a rule in a row. How long it takes and where it is computed is the caller's: `run` in the verbs
/// below lets it happen, and returns the time that it took, or nothing when it was given up.
class RealSteps {
 public:
  template <class Run>
  std::optional<Gradient> gradient(const Model& x, std::size_t n, const Run& run) {
    set_up(x, n);
    version_ = x.version;
    const std::optional<double> compute_s = run();
    at_ = Parameters();
    if (!compute_s) {
      g_ = Parameters();
      return std::nullopt;
    }
    return Gradient{std::move(g_), x.version, n, *compute_s, x.shard_versions};
  }

  template <class Run>
  std::optional<Trained> local_steps(Model x, std::size_t steps, std::size_t n, UpdateRule& rule,
                                     const Until& until, const Parameters& shift, const Run& run) {
    // Work that may be given up is done with a copy of the rule.
    std::optional<UpdateRule> copy;
    if (until.ever()) copy = rule;
    set_up(x, n, steps, copy ? &*copy : &rule);
    version_ = x.version;
    shift_ = shift;
    const std::optional<double> compute_s = run();
    shift_ = Parameters();
    take_gradient();
    if (!compute_s) {
      moved_ = Parameters();
      return std::nullopt;
    }
    if (copy) rule = std::move(*copy);
    static_cast<Parameters&>(x) = std::move(moved_);
    return Trained{std::move(x), steps * n, *compute_s};
  }

  /// `steps` gradients of `batch` samples each, beginning at `at`. Without a rule there is one.
  void set_up(Parameters at, std::size_t batch, std::size_t steps = 1, UpdateRule* rule = nullptr);
  /// Takes the memory for the result.
  void prepare();
  /// Gives it back.
  void unprepare();
  /// What is set up, with the samples drawn last; in any thread. Ends by GivenUp once `give_up` is set.
  void compute(const Problem& problem, Workspace& workspace, const WorkerSamples& samples,
               const std::atomic<bool>* give_up = nullptr);
  /// The gradient that was computed without a rule; what it was computed at is let go.
  Parameters take_gradient();

  /// Of the model where it begins; of gradients and local steps.
  std::uint64_t version() const { return version_; }
  std::size_t steps() const { return steps_; }
  std::size_t batch() const { return batch_; }
  /// For the time of something that is not really computed.
  void set_batch(std::size_t batch) { batch_ = batch; }
  std::size_t samples() const { return steps_ * batch_; }
  /// Makes room for the losses of what is set up.
  void clear_losses();
  /// By step.
  std::span<const double> losses() const { return {losses_.data(), losses_.size()}; }
  /// From now on the loss of every sample is kept, or no longer.
  void keep_losses(bool keep) { keep_losses_ = keep; }
  std::span<const float> sample_losses() const { return sample_losses_; }
  /// Where it begins; while that is filled in.
  std::span<float> overwritable_at() { return at_.overwritable(); }

 private:
  // What every step touches stands together: with thousands of workers all of it comes from far away.
  std::size_t steps_ = 0;
  std::size_t batch_ = 0;
  std::uint64_t version_ = 0;
  UpdateRule* rule_ = nullptr;
  Parameters at_;
  Parameters g_;  // the result without a rule, scratch with one
  std::span<const float> at_values_;
  std::span<float> g_values_;
  boost::container::small_vector<double, 1> losses_;
  bool keep_losses_ = false;
  Parameters shift_;  // added to every gradient, if there is one
  Parameters moved_;  // the result with a rule
  std::span<const float> shift_values_;
  std::span<float> moved_values_;
  std::vector<float> sample_losses_;
};

}  // namespace motley
