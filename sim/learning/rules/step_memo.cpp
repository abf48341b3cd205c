#include "sim/learning/rules/step_memo.hpp"

namespace motley {

bool StepMemo::is_known(const UpdateRule& rule, const Parameters& x, const Parameters& g) const {
  if (!x.shares_with(x_before_) || !g.shares_with(g_) || rule.steps_ != steps_before_ ||
      !(rule.spec_ == spec_)) {
    return false;
  }
  for (std::size_t i = 0; i < vectors_; ++i) {
    if (!rule.state_[i].shares_with(state_before_[i])) return false;
  }
  return true;
}

void StepMemo::step(UpdateRule& rule, Parameters& x, const Parameters& g, ThreadPool& pool) {
  if (is_known(rule, x, g)) {
    x = x_after_;
    for (std::size_t i = 0; i < vectors_; ++i) rule.state_[i] = state_after_[i];
    ++rule.steps_;
    return;
  }
  spec_ = rule.spec_;
  vectors_ = rule.vectors();
  steps_before_ = rule.steps_;
  x_before_ = x;
  g_ = g;
  state_before_ = rule.state_;
  rule.step(x, g, pool);
  x_after_ = x;
  state_after_ = rule.state_;
}

}  // namespace motley
