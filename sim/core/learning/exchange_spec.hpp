#pragma once

#include "sim/core/input/fields.hpp"

namespace motley {

/// How the model travels between workers and servers; parameters of the algorithms that exchange
/// gradients for models.
struct ExchangeSpec {
  enum class Overlap { none, layers };
  enum class Placement { even, fast_first, slow_first };
  Overlap overlap = Overlap::none;
  Placement placement = Placement::even;

  static Fields<ExchangeSpec> fields();
};

}  // namespace motley
