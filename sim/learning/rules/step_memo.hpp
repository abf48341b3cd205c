#pragma once

#include "sim/learning/rules/update_rule.hpp"

namespace motley {

/// Does a step that has just been done once more by copying its result. Replicas that share their
/// model, their gradient and the state of their rule, as after an all-reduce, thus compute each step
/// once together instead of once each.
class StepMemo {
 public:
  void step(UpdateRule& rule, Parameters& x, const Parameters& g, ThreadPool& pool);

 private:
  bool is_known(const UpdateRule& rule, const Parameters& x, const Parameters& g) const;

  UpdateSpec spec_;
  std::size_t vectors_ = 0;  // of the state of a rule that is made so
  double steps_before_ = -1;
  Parameters g_;
  Parameters x_before_;
  Parameters x_after_;
  std::array<Parameters, UpdateRule::most_vectors> state_before_;
  std::array<Parameters, UpdateRule::most_vectors> state_after_;
};

}  // namespace motley
