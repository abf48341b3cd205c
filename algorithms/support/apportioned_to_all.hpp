#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace motley {

/// `total` in whole numbers in proportion to `shares`, by largest remainders, with at least one for
/// everybody: who would get none takes it from the largest. There must be as many as shares.
///
/// `most`, if not empty: nobody gets more than this. Who would gets exactly that, and what is left is
/// split between the others in the same way. It must leave room for the total.
std::vector<std::size_t> apportioned_to_all(std::size_t total, std::span<const double> shares,
                                            std::span<const std::optional<std::size_t>> most = {});

}  // namespace motley
