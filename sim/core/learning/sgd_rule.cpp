#include "sim/core/learning/sgd_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/json.hpp"
#include "sim/core/thread_pool.hpp"

namespace motley {

Fields<ScheduleSpec> ScheduleSpec::fields() {
  Fields<ScheduleSpec> f;
  f.add({.name = "kind",
         .doc = "constant, step (times factor every so many epochs) or cosine (down to floor)",
         .fallback = "constant",
         .choices = {"constant", "step", "cosine"}},
        &ScheduleSpec::kind);
  f.add({.name = "every_epochs",
         .doc = "epochs between two steps",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"step"}},
        &ScheduleSpec::every_epochs);
  f.add({.name = "factor",
         .doc = "of the step size at each step",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"step"}},
        &ScheduleSpec::factor);
  f.add({.name = "epochs",
         .doc = "epochs until the floor is reached",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"cosine"}},
        &ScheduleSpec::epochs);
  f.add({.name = "floor",
         .doc = "smallest step size, as a share of step_size",
         .fallback = 0.0,
         .minimum = 0,
         .maximum = 1,
         .kinds = {"cosine"}},
        &ScheduleSpec::floor);
  return f;
}

double ScheduleSpec::at(double epoch) const {
  switch (kind) {
    case Kind::constant:
      return 1;
    case Kind::step:
      return std::pow(factor, std::floor(epoch / every_epochs));
    case Kind::cosine: {
      const double done = std::min(1.0, epoch / epochs);
      return floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done));
    }
  }
  return 1;
}

Fields<SgdSpec> SgdSpec::fields() {
  Fields<SgdSpec> f;
  f.add({.name = "step_size", .doc = "eta", .minimum = 0, .above_minimum = true},
        &SgdSpec::step_size);
  f.add({.name = "batch_size", .doc = "samples of one gradient of one worker", .minimum = 1},
        &SgdSpec::batch_size);
  f.add({.name = "momentum",
         .doc = "heavy-ball momentum of the update",
         .fallback = 0.0,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true},
        &SgdSpec::momentum);
  f.add({.name = "weight_decay",
         .doc = "of the update: adds weight_decay * x to the gradient",
         .fallback = 0.0,
         .minimum = 0},
        &SgdSpec::weight_decay);
  f.add({.name = "schedule",
         .doc = "of the step size, counted in epochs",
         .fallback = Json::object()},
        &SgdSpec::schedule);
  return f;
}

SgdRule::SgdRule(const SgdSpec& spec, double updates_per_epoch)
    : spec_(spec), updates_per_epoch_(updates_per_epoch) {}

float SgdRule::step_size() const {
  return static_cast<float>(spec_.step_size * spec_.schedule.at(steps_ / updates_per_epoch_));
}

void SgdRule::prepare(std::size_t size) {
  if (spec_.momentum > 0 && velocity_.empty()) velocity_ = Parameters::zeros(size);
}

void SgdRule::step(std::span<const float> from, std::span<float> to, std::span<const float> g,
                   std::span<float> v, float scale) const {
  const float eta = step_size();
  const auto decay = static_cast<float>(spec_.weight_decay);
  if (spec_.momentum > 0) {
    const auto momentum = static_cast<float>(spec_.momentum);
    for (std::size_t i = 0; i < to.size(); ++i) {
      v[i] = momentum * v[i] + (scale * g[i] + decay * from[i]);
      to[i] = from[i] - eta * v[i];
    }
  } else if (decay > 0) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      to[i] = from[i] - eta * (scale * g[i] + decay * from[i]);
    }
  } else {
    const float factor = eta * scale;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] - factor * g[i];
  }
}

void SgdRule::step(std::span<float> x, std::span<const float> g, float gradient_scale) {
  const std::span<float> v = velocity_.empty() ? std::span<float>() : velocity_.writable();
  step(x, x, g, v, gradient_scale);
  ++steps_;
}

void SgdRule::step(Parameters& x, const Parameters& g, ThreadPool& pool, float gradient_scale) {
  constexpr std::size_t worth_a_thread = 1 << 14;  // floats
  prepare(x.size());
  const std::span<float> v = velocity_.empty() ? std::span<float>() : velocity_.writable();
  x.transform([&](std::span<const float> from, std::span<float> to) {
    pool.for_ranges(x.size(), worth_a_thread, [&](std::size_t begin, std::size_t end) {
      const std::size_t n = end - begin;
      step(from.subspan(begin, n), to.subspan(begin, n), g.values().subspan(begin, n),
           v.empty() ? v : v.subspan(begin, n), gradient_scale);
    });
  });
  ++steps_;
}

void StepMemo::step(SgdRule& rule, Parameters& x, const Parameters& g, ThreadPool& pool) {
  const bool known = x.shares_with(x_before_) && g.shares_with(g_) &&
                     rule.velocity_.shares_with(velocity_before_) && rule.steps_ == steps_before_ &&
                     rule.spec_ == spec_;
  if (known) {
    x = x_after_;
    rule.velocity_ = velocity_after_;
    ++rule.steps_;
    return;
  }
  spec_ = rule.spec_;
  steps_before_ = rule.steps_;
  x_before_ = x;
  g_ = g;
  velocity_before_ = rule.velocity_;
  rule.step(x, g, pool);
  x_after_ = x;
  velocity_after_ = rule.velocity_;
}

}  // namespace motley
