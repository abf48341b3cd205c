#pragma once

#include <span>

#include "sim/core/input/fields.hpp"
#include "sim/core/learning/parameters.hpp"

namespace motley {

/// How the step size changes over a run, counted in epochs.
struct ScheduleSpec {
  enum class Kind { constant, step, cosine };
  Kind kind = Kind::constant;
  double every_epochs = 0;  ///< step: multiply by `factor` each time so many epochs have passed
  double factor = 0;        ///< step
  double epochs = 0;        ///< cosine: from 1 down to `floor` over so many epochs, then stay
  double floor = 0;         ///< cosine: as a share of the step size

  bool operator==(const ScheduleSpec&) const = default;
  /// The factor on the step size after `epoch` epochs.
  double at(double epoch) const;

  static Fields<ScheduleSpec> fields();
};

/// The parameters that every algorithm with an SGD update takes.
struct SgdSpec {
  double step_size = 0;
  std::size_t batch_size = 0;  ///< of one gradient of one worker
  double momentum = 0;
  double weight_decay = 0;
  ScheduleSpec schedule;

  bool operator==(const SgdSpec&) const = default;
  static Fields<SgdSpec> fields();
};

/// One SGD update, x <- x - eta_t v with v <- momentum * v + (scale * g + weight_decay * x). A
/// value: the momentum v and the count t belong to it.
class SgdRule {
 public:
  /// `updates_per_epoch`: how many steps of this rule make an epoch; the schedule is counted by it.
  SgdRule(const SgdSpec& spec, double updates_per_epoch);

  /// `gradient_scale` multiplies g alone, not the weight decay. Large vectors use all threads.
  void step(Parameters& x, const Parameters& g, ThreadPool& pool, float gradient_scale = 1.0F);
  /// The same in place, for a thread that works on floats it was handed. Call prepare() before.
  void step(std::span<float> x, std::span<const float> g, float gradient_scale = 1.0F);
  /// Makes the momentum's memory now (in the simulation's thread).
  void prepare(std::size_t size);
  /// Counts so many steps as made elsewhere; for the schedule.
  void skip(std::size_t steps) { steps_ += static_cast<double>(steps); }
  /// eta_t of the next step.
  float step_size() const;

 private:
  friend class StepMemo;
  /// The step on a part of the vectors; v is the same part of the momentum, or empty.
  void step(std::span<const float> from, std::span<float> to, std::span<const float> g,
            std::span<float> v, float scale) const;

  SgdSpec spec_;
  double updates_per_epoch_;
  double steps_ = 0;
  Parameters velocity_;
};

/// Does a step that has just been done once more by copying its result. Replicas that share their
/// model, their gradient and their momentum, as after an all-reduce, thus compute each step once
/// together instead of once each.
class StepMemo {
 public:
  void step(SgdRule& rule, Parameters& x, const Parameters& g, ThreadPool& pool);

 private:
  SgdSpec spec_;
  double steps_before_ = -1;
  Parameters x_before_;
  Parameters g_;
  Parameters velocity_before_;
  Parameters x_after_;
  Parameters velocity_after_;
};

}  // namespace motley
