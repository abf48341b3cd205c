#pragma once

#include <cstddef>
#include <cstdint>
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
  std::uint64_t bytes = 0;  ///< that would travel beside them: of parts that have wire_bytes()

  template <class... Parts>
  static SharedState of(Parts&... parts) {
    using Copy = std::tuple<Parts...>;
    return {[&] { return std::make_shared<const Copy>(parts...); },
            [&](const void* copy) { std::tie(parts...) = *static_cast<const Copy*>(copy); },
            [&](const Model& model) { (set(parts, model), ...); }, (vectors_of(parts) + ...),
            (bytes_of(parts) + ...)};
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
  /// Numbers travel free, as everywhere. What holds more says so, also where it is optional.
  template <class Part>
  static std::uint64_t bytes_of(const Part& part) {
    if constexpr (requires { part.wire_bytes(); })
      return part.wire_bytes();
    else if constexpr (requires { part->wire_bytes(); })
      return part ? part->wire_bytes() : 0;
    else
      return 0;
  }
};

}  // namespace motley
