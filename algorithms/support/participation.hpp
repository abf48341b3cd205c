#pragma once

#include <cstddef>
#include <optional>

#include "sim/scenario/fields.hpp"

namespace motley {

/// How many of the workers are drawn: {"count": 10}, {"share": 0.1}, or all.
struct Participation {
  std::optional<std::size_t> count;
  std::optional<double> share;

  /// InputError at `place` when both are given or there are too few workers.
  void check(std::size_t workers, const Place& place) const;
  /// How many of `workers`; at least one.
  std::size_t of(std::size_t workers) const;

  static Fields<Participation> fields();
  /// How the keys "participation" and "concurrency" of algorithms are described.
  static FieldInfo of_a_round();
  static FieldInfo at_once();
};

}  // namespace motley
