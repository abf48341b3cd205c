#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>

#include "sim/learning/rules/update_rule.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

/// All that a body knows, so that another one can begin with a copy of it. Refers to the body's own
/// variables.
struct SharedState {
  std::function<std::shared_ptr<const void>()> copy;
  std::function<void(const void* copy)> take;
  /// Nobody has a copy: there is only a model.
  std::function<void(const Model& model)> begin_with;
  std::size_t vectors = 0;  ///< of the model's size, that would travel

  template <class... Parts>
  static SharedState of(Parts&... parts) {
    using Copy = std::tuple<Parts...>;
    return {[&] { return std::make_shared<const Copy>(parts...); },
            [&](const void* copy) { std::tie(parts...) = *static_cast<const Copy*>(copy); },
            [&](const Model& model) { (set(parts, model), ...); }, (vectors_of(parts) + ...)};
  }

 private:
  template <class Part>
  static void set(Part& part, const Model& model) {
    if constexpr (std::is_same_v<Part, Model>) part = model;
  }
  template <class Part>
  static std::size_t vectors_of(const Part& part) {
    if constexpr (std::is_same_v<Part, UpdateRule>)
      return part.state_vectors();
    else
      return std::is_base_of_v<Parameters, Part> ? 1 : 0;
  }
};

}  // namespace motley
