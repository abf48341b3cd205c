#pragma once

#include "sim/scenario/fields.hpp"

namespace motley {

/// How a worker draws from its samples.
enum class SampleOrder {
  shuffled,    ///< pass after pass, each in a new random order
  independent  ///< with replacement
};

/// The key of a scenario that chooses it.
FieldInfo sample_order_field();

}  // namespace motley
