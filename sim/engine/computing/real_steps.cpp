#include "sim/engine/computing/real_steps.hpp"

#include <algorithm>

namespace motley {

void RealSteps::set_up(Parameters at, std::size_t batch, std::size_t steps, UpdateRule* rule) {
  steps_ = steps;
  batch_ = batch;
  rule_ = rule;
  at_ = std::move(at);
}

void RealSteps::prepare() {
  g_ = Parameters(at_.size());
  g_values_ = g_.overwritable();
  at_values_ = at_.values();
  if (rule_ == nullptr) return;
  shift_values_ = shift_.values();
  rule_->prepare(at_.size());
  moved_ = Parameters(at_.size());
  moved_values_ = moved_.overwritable();
}

void RealSteps::unprepare() {
  g_ = Parameters();
  moved_ = Parameters();
}

void RealSteps::clear_losses() {
  losses_.assign(steps_, 0);
  if (keep_losses_) sample_losses_.assign(samples(), 0);
}

void RealSteps::compute(const Problem& problem, Workspace& workspace, const WorkerSamples& samples,
                        const std::atomic<bool>* give_up) {
  if (rule_ != nullptr) std::ranges::copy(at_values_, moved_values_.begin());
  const std::span<const float> x = rule_ != nullptr ? moved_values_ : at_values_;
  workspace.give_up = give_up;
  struct Clear {  // also when it ends by GivenUp
    Workspace& workspace;
    ~Clear() {
      workspace.give_up = nullptr;
      workspace.sample_losses = {};
      workspace.variations = {};
    }
  } const guard{workspace};
  for (std::size_t step = 0; step < steps_; ++step) {
    workspace.throw_if_given_up();
    const std::span<const Sample> batch = samples.drawn().subspan(step * batch_, batch_);
    if (keep_losses_) {
      workspace.sample_losses = std::span(sample_losses_).subspan(step * batch_, batch_);
    }
    if (!samples.variations().empty()) {
      workspace.variations = samples.variations().subspan(step * batch_, batch_);
    }
    losses_[step] = problem.gradient(x, batch, g_values_, workspace);
    if (rule_ == nullptr) continue;
    for (std::size_t i = 0; i < shift_values_.size(); ++i) g_values_[i] += shift_values_[i];
    rule_->step(moved_values_, g_values_);
  }
}

Parameters RealSteps::take_gradient() {
  at_ = Parameters();
  return std::move(g_);
}

}  // namespace motley
