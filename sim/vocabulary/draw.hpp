#pragma once

#include <cstddef>
#include <vector>

namespace motley {

class RandomStream;

/// One of 0 ... n-1, each as likely as the others.
std::size_t draw_below(RandomStream& random, std::size_t n);

/// `count` different ones of `candidates`, in ascending order, each set as likely as the others.
std::vector<std::size_t> draw_some(RandomStream& random, std::vector<std::size_t> candidates,
                                   std::size_t count);

/// `count` different ones of 0 ... n-1, in ascending order.
std::vector<std::size_t> draw_some(RandomStream& random, std::size_t n, std::size_t count);

}  // namespace motley
