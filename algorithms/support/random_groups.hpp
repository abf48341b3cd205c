#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace motley {

/// `count` random divisions of all workers into groups of `size` (the last ones smaller, by at most one,
/// where that does not go up): each is a list of groups of ranks. The same for everybody who knows the seed.
std::vector<std::vector<std::vector<std::size_t>>> random_groups(std::uint64_t seed,
                                                                 std::size_t workers,
                                                                 std::size_t size,
                                                                 std::size_t count);

}  // namespace motley
