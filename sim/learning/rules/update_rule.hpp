#pragma once

#include <array>
#include <span>
#include <utility>

#include "sim/learning/rules/batch_sizes.hpp"
#include "sim/learning/rules/parameters.hpp"
#include "sim/learning/rules/schedule.hpp"

namespace motley {

/// By which formula a gradient becomes a step.
struct RuleSpec {
  enum class Kind { sgd, nesterov, adamw, amsgrad };
  Kind kind = Kind::sgd;
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;

  bool operator==(const RuleSpec&) const = default;
  bool is_adaptive() const { return kind == Kind::adamw || kind == Kind::amsgrad; }
  static Fields<RuleSpec> fields();
};

/// All that an update rule is made of.
struct UpdateSpec {
  double step_size = 0;
  double momentum = 0;
  double weight_decay = 0;
  ScheduleSpec schedule;
  RuleSpec rule;

  bool operator==(const UpdateSpec&) const = default;
  /// InputError for what does not go together: momentum with a rule that has beta1 instead.
  static void check(const UpdateSpec& spec, const Place& place);
};

/// The parameters that every algorithm with an SGD update takes.
struct SgdSpec : UpdateSpec {
  BatchSizes batch_size;

  static Fields<SgdSpec> fields();
};

/// One update of a model by a gradient. With d = scale * g, eta_t the scheduled step size, mu the
/// momentum and lambda the weight decay:
///
///   sgd       d <- d + lambda x;  v <- mu v + d;  x <- x - eta_t v
///   nesterov  d <- d + lambda x;  v <- mu v + d;  x <- x - eta_t (d + mu v)
///             I. Sutskever et al., On the importance of initialization and momentum, ICML 2013
///   adamw     m <- b1 m + (1-b1) d;  v <- b2 v + (1-b2) d*d;
///             x <- x - eta_t (m / (1-b1^t) / (sqrt(v / (1-b2^t)) + eps) + lambda x)
///             I. Loshchilov, F. Hutter, Decoupled Weight Decay Regularization, ICLR 2019
///   amsgrad   d <- d + lambda x;  m, v as adamw;  u <- max(u, v);  x <- x - eta_t m / (sqrt(u) + eps)
///             S. Reddi, S. Kale, S. Kumar, On the Convergence of Adam and Beyond, ICLR 2018
///
/// A value: v, m, u and the count t belong to it. Servers, workers and local steps take any.
class UpdateRule {
 public:
  /// `updates_per_epoch`: how many steps of this rule make an epoch; the schedule is counted by it.
  UpdateRule(const UpdateSpec& spec, double updates_per_epoch);

  /// `gradient_scale` multiplies g alone, not the weight decay. Large vectors use all threads.
  void step(Parameters& x, const Parameters& g, ThreadPool& pool, float gradient_scale = 1.0F);
  /// The same in place, for a thread that works on floats it was handed. Call prepare() before.
  void step(std::span<float> x, std::span<const float> g, float gradient_scale = 1.0F);
  /// Makes the memory of the state now (in the simulation's thread).
  void prepare(std::size_t size);
  /// Counts so many steps as made elsewhere; for the schedule.
  void skip(std::size_t steps) { steps_ += static_cast<double>(steps); }
  /// eta_t of the next step.
  float step_size() const;
  /// A vector of its state: momentum or m, v, u, in this order. Empty before the first step, unless it
  /// was given.
  const Parameters& state(std::size_t index) const { return state_[index]; }
  void set_state(std::size_t index, Parameters vector) { state_[index] = std::move(vector); }
  /// How many vectors of the model's size its state has.
  std::size_t state_vectors() const { return vectors(); }

 private:
  friend class StepMemo;
  /// Of the state: momentum, mean square, its maximum.
  static constexpr std::size_t most_vectors = 3;
  using State = std::array<std::span<float>, most_vectors>;

  std::size_t vectors() const;
  State writable_state();
  /// The step on a part of the vectors; `state` is the same part of it.
  void step(std::span<const float> from, std::span<float> to, std::span<const float> g,
            const State& state, float scale) const;
  void adaptive_step(std::span<const float> from, std::span<float> to, std::span<const float> g,
                     const State& state, float scale) const;

  UpdateSpec spec_;
  double updates_per_epoch_;
  double steps_ = 0;
  std::array<Parameters, most_vectors> state_;
};

}  // namespace motley
