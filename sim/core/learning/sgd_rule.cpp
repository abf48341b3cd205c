#include "sim/core/learning/sgd_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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
         .maximum = 1},
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
                   float scale) {
  const float eta = step_size();
  const auto decay = static_cast<float>(spec_.weight_decay);
  if (spec_.momentum > 0) {
    const auto momentum = static_cast<float>(spec_.momentum);
    const std::span<float> v = velocity_.writable();
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
  ++steps_;
}

void SgdRule::step(std::span<float> x, std::span<const float> g, float gradient_scale) {
  step(x, x, g, gradient_scale);
}

void SgdRule::step(Parameters& x, const Parameters& g, float gradient_scale) {
  prepare(x.size());
  x.transform([&](std::span<const float> from, std::span<float> to) {
    step(from, to, g.values(), gradient_scale);
  });
}

}  // namespace motley
