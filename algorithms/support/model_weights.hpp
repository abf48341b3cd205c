#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/scenario/fields.hpp"

namespace motley {

/// What each worker's model weighs in an average.
struct ModelWeights {
  enum class Aggregation { uniform, steps, slow_share };
  Aggregation aggregation = Aggregation::uniform;
  std::optional<double> slow_share;  ///< total weight of the slow workers

  /// InputError at `place` when slow_share lacks its value, or one of the two sorts of workers.
  void check(const std::vector<bool>& slow, const Place& place) const;
  /// Of each worker, from the steps it has made and whether it is slow.
  std::vector<double> weights_of(std::span<const std::size_t> steps,
                                 const std::vector<bool>& slow) const;

  static Fields<ModelWeights> fields();
};

}  // namespace motley
