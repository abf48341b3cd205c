#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/engine/model/model_split.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

/// A shard of the model as its updates make it.
struct ShardModel {
  Shard shard;
  std::size_t index = 0;
  Model model;
  std::uint64_t updates = 0;
};

}  // namespace motley
