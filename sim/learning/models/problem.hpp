#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/learning/data/sample.hpp"
#include "sim/learning/data/variation.hpp"

namespace motley {

/// Thrown by Problem::gradient() when nobody wants its result any more; see Workspace::give_up.
struct GivenUp {};

/// Memory a thread computes in, reused from call to call, so that a step allocates nothing. Each
/// Problem makes its own kind; one thread uses one at a time.
class Workspace {
 public:
  virtual ~Workspace() = default;
  /// When not empty, gradient() also writes the loss of each sample here, in their order.
  std::span<float> sample_losses;
  /// When not empty, gradient() varies the images so, in their order.
  std::span<const Variation> variations;
  /// When set, nobody wants what gradient() computes any more. A gradient that takes long calls
  /// throw_if_given_up() as often as it can.
  const std::atomic<bool>* give_up = nullptr;
  void throw_if_given_up() const {
    if (give_up != nullptr && *give_up) throw GivenUp();
  }
};

/// A layer of the model: how many parameters it has, and its flops for one sample.
struct Layer {
  std::size_t size = 0;
  double forward_flops = 0;
  double backward_flops = 0;
};

/// Sums over some of the test samples; add them up in a fixed order.
struct EvaluationSum {
  double loss = 0;
  std::uint64_t correct = 0;
};

/// What theory's times depend on, beside the speeds.
struct ProblemConstants {
  double smoothness = 0;  ///< L
  double gap = 0;         ///< D = f(x0) - min f
  double variance = 0;    ///< s2, of one sample's gradient: the expectation of its squared distance
};

/// What is learnt: an objective f(x) = mean loss over the training samples, of which only
/// mini-batch gradients are asked. Immutable and shared by all threads.
class Problem {
 public:
  virtual ~Problem() = default;

  /// Number of parameters.
  virtual std::size_t dimension() const = 0;
  /// Input first; their parameters lie one after another in x.
  virtual std::vector<Layer> layers() const = 0;
  /// How many training samples make an epoch.
  virtual std::size_t train_size() const = 0;
  /// Test samples evaluated one by one; 1 when evaluation is a formula.
  virtual std::size_t test_size() const = 0;
  /// Whether accuracy means something here (not for the quadratic).
  virtual bool has_accuracy() const = 0;
  /// False when nothing is learnt and only times matter: then nothing is drawn, computed or
  /// evaluated.
  virtual bool is_real() const { return true; }
  /// What to know of how it is computed on this machine; empty when there is nothing.
  virtual std::string remark() const { return ""; }
  /// Of a problem that makes its own samples: what kind each is of, where workers are to have different
  /// ones. Empty: all are alike.
  virtual std::vector<std::uint16_t> kinds() const { return {}; }
  /// Where they are known.
  virtual std::optional<ProblemConstants> constants() const { return std::nullopt; }
  /// Flops of all layers for one sample: 2 per multiply-add, matrix products only.
  double flops_per_sample() const;

  virtual std::unique_ptr<Workspace> make_workspace() const = 0;
  /// Fills x (dimension() floats) with the initial model of this seed.
  virtual void initial_model(std::uint64_t seed, std::span<float> x) const = 0;
  /// Writes the mean gradient over the samples into g and returns their mean objective: loss, plus
  /// the weight-decay term (not finite when the model has diverged). The same inputs give the same
  /// bits in any thread.
  virtual double gradient(std::span<const float> x, std::span<const Sample> samples,
                          std::span<float> g, Workspace& workspace) const = 0;
  /// Test loss and correct answers summed over test samples [begin, end).
  virtual EvaluationSum evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                                 Workspace& workspace) const = 0;
};

}  // namespace motley
