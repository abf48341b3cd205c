#include "sim/learning/rules/update_rule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/base/json.hpp"
#include "sim/base/thread_pool.hpp"

namespace motley {

Fields<RuleSpec> RuleSpec::fields() {
  Fields<RuleSpec> f;
  f.add({.name = "kind",
         .doc = "sgd (with heavy-ball momentum), nesterov, adamw or amsgrad",
         .fallback = "sgd",
         .choices = {"sgd", "nesterov", "adamw", "amsgrad"}},
        &RuleSpec::kind);
  f.add({.name = "beta1",
         .doc = "decay of the mean of gradients",
         .fallback = 0.9,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true,
         .kinds = {"adamw", "amsgrad"}},
        &RuleSpec::beta1);
  f.add({.name = "beta2",
         .doc = "decay of the mean of squared gradients",
         .fallback = 0.999,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true,
         .kinds = {"adamw", "amsgrad"}},
        &RuleSpec::beta2);
  f.add({.name = "epsilon",
         .doc = "added to the root of the mean square",
         .fallback = 1e-8,
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"adamw", "amsgrad"}},
        &RuleSpec::epsilon);
  return f;
}

void UpdateSpec::check(const UpdateSpec& spec, const Place& place) {
  if (spec.momentum > 0 && spec.rule.is_adaptive()) {
    throw InputError(place / "momentum",
                     "is not for this rule, which has beta1 instead (/rule/beta1): remove it");
  }
}

Fields<SgdSpec> SgdSpec::fields() {
  Fields<SgdSpec> f;
  f.add({.name = "step_size", .doc = "eta", .minimum = 0, .above_minimum = true},
        &SgdSpec::step_size);
  f.add(BatchSizes::field(), &SgdSpec::batch_size);
  f.add({.name = "momentum",
         .doc = "of the update; heavy-ball, or Nesterov's with that rule",
         .fallback = 0.0,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true},
        &SgdSpec::momentum);
  f.add({.name = "weight_decay",
         .doc = "of the update: adds weight_decay * x to the gradient (to the step with adamw)",
         .fallback = 0.0,
         .minimum = 0},
        &SgdSpec::weight_decay);
  f.add({.name = "schedule",
         .doc = "of the step size, counted in epochs",
         .fallback = Json::object()},
        &SgdSpec::schedule);
  f.add({.name = "rule",
         .doc = "by which formula a gradient becomes a step",
         .fallback = Json::object()},
        &SgdSpec::rule);
  return f;
}

UpdateRule::UpdateRule(const UpdateSpec& spec, double updates_per_epoch)
    : spec_(spec), updates_per_epoch_(updates_per_epoch) {}

float UpdateRule::step_size() const {
  return static_cast<float>(spec_.step_size * spec_.schedule.at(steps_ / updates_per_epoch_));
}

std::size_t UpdateRule::vectors() const {
  if (spec_.rule.kind == RuleSpec::Kind::adamw) return 2;
  if (spec_.rule.kind == RuleSpec::Kind::amsgrad) return 3;
  return spec_.momentum > 0 ? 1 : 0;
}

void UpdateRule::prepare(std::size_t size) {
  for (std::size_t i = 0; i < vectors(); ++i) {
    if (state_[i].empty())
      state_[i] = Parameters::zeros(size);
    else
      state_[i].writable();  // shared with a copy of the rule, or with a message
  }
}

UpdateRule::State UpdateRule::writable_state() {
  State state;
  for (std::size_t i = 0; i < vectors(); ++i) state[i] = state_[i].writable();
  return state;
}

void UpdateRule::adaptive_step(std::span<const float> from, std::span<float> to,
                               std::span<const float> g, const State& state, float scale) const {
  const float eta = step_size();
  const auto decay = static_cast<float>(spec_.weight_decay);
  const auto beta1 = static_cast<float>(spec_.rule.beta1);
  const auto beta2 = static_cast<float>(spec_.rule.beta2);
  const auto epsilon = static_cast<float>(spec_.rule.epsilon);
  const auto& [m, v, most] = state;
  if (spec_.rule.kind == RuleSpec::Kind::amsgrad) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const float d = scale * g[i] + decay * from[i];
      m[i] = beta1 * m[i] + (1 - beta1) * d;
      v[i] = beta2 * v[i] + (1 - beta2) * d * d;
      most[i] = std::max(most[i], v[i]);
      to[i] = from[i] - eta * m[i] / (std::sqrt(most[i]) + epsilon);
    }
    return;
  }
  const double t = steps_ + 1;
  const auto mean_share = static_cast<float>(1 - std::pow(spec_.rule.beta1, t));
  const auto square_share = static_cast<float>(1 - std::pow(spec_.rule.beta2, t));
  for (std::size_t i = 0; i < to.size(); ++i) {
    const float d = scale * g[i];
    m[i] = beta1 * m[i] + (1 - beta1) * d;
    v[i] = beta2 * v[i] + (1 - beta2) * d * d;
    const float direction = m[i] / mean_share / (std::sqrt(v[i] / square_share) + epsilon);
    to[i] = from[i] - eta * (direction + decay * from[i]);
  }
}

void UpdateRule::step(std::span<const float> from, std::span<float> to, std::span<const float> g,
                      const State& state, float scale) const {
  if (spec_.rule.is_adaptive()) {
    adaptive_step(from, to, g, state, scale);
    return;
  }
  const float eta = step_size();
  const auto decay = static_cast<float>(spec_.weight_decay);
  const auto momentum = static_cast<float>(spec_.momentum);
  const std::span<float> v = state[0];
  if (spec_.momentum > 0 && spec_.rule.kind == RuleSpec::Kind::nesterov) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const float d = scale * g[i] + decay * from[i];
      v[i] = momentum * v[i] + d;
      to[i] = from[i] - eta * (d + momentum * v[i]);
    }
  } else if (spec_.momentum > 0) {
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

void UpdateRule::step(std::span<float> x, std::span<const float> g, float gradient_scale) {
  step(x, x, g, writable_state(), gradient_scale);
  ++steps_;
}

void UpdateRule::step(Parameters& x, const Parameters& g, ThreadPool& pool, float gradient_scale) {
  constexpr std::size_t worth_a_thread = 1 << 14;  // floats
  prepare(x.size());
  const State state = writable_state();
  x.transform([&](std::span<const float> from, std::span<float> to) {
    const auto step_range = [&](std::size_t begin, std::size_t end) {
      const std::size_t n = end - begin;
      State part;
      for (std::size_t i = 0; i < vectors(); ++i) part[i] = state[i].subspan(begin, n);
      step(from.subspan(begin, n), to.subspan(begin, n), g.values().subspan(begin, n), part,
           gradient_scale);
    };
    pool.for_ranges(x.size(), worth_a_thread, std::cref(step_range));  // nothing is allocated
  });
  ++steps_;
}

}  // namespace motley
