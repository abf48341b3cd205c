#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "sim/vocabulary/model.hpp"

namespace motley {

/// How Worker::gradient_ahead takes models and sends gradients. One for all calls of a body.
struct Ahead {
  bool pulls = true;     ///< false: goes on from what it has, and takes no model
  bool waits = true;     ///< a gradient leaves when the next model is here; false: at once
  bool exactly = false;  ///< as push_exactly
  std::optional<Model> next = {};  ///< the verb's own: the model that is here, for the next call
};

/// What a gradient is to be taken at: given the global model that was pulled, or nullptr where none was.
/// Where layers travel alone it is asked for every part of the model, which begins at this parameter.
using TakenAt = std::function<Model(const Model* global, std::size_t begin)>;

}  // namespace motley
