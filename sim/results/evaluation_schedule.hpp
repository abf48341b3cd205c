#pragma once

#include <cstdint>

#include "sim/scenario/evaluation_interval.hpp"

namespace motley {

/// Decides when the model is due for evaluation: at the first update in each interval.
class EvaluationSchedule {
 public:
  explicit EvaluationSchedule(const EvaluationInterval& every) : every_(every) {}

  /// Whether a new interval has begun since this last returned true. `progress`: share of the run
  /// done.
  bool is_due(double now, std::uint64_t updates, double progress);

 private:
  EvaluationInterval every_;
  double done_ = 0;  // whole number of intervals that have had their evaluation
};

}  // namespace motley
