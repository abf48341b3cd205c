#pragma once

#include <cstdint>

namespace motley {

/// Index of a sample in the training set.
using Sample = std::uint32_t;

}  // namespace motley
