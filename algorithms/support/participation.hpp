#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/draw.hpp"
#include "sim/vocabulary/server.hpp"

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
};

/// `count` of the workers that are present and not among `but`, or all of them if they are fewer, in
/// ascending order, each set as likely as the others. Waits while nobody is present. Costs nothing for
/// those that are not drawn, while all are present.
std::vector<std::size_t> draw_present(Server& me, std::size_t count,
                                      const std::set<std::size_t>& but = {});

/// The indices that are true, in ascending order.
std::vector<std::size_t> all_of(const std::vector<bool>& chosen);

}  // namespace motley
