#pragma once

#include <cstddef>

namespace motley {

/// Limits for every number of the input, whatever its own bounds. Beyond them something would
/// overflow or be rounded to zero, far from the place where the number was written.
namespace limits {

/// A number without a unit may be 0, or of a size that single precision holds with room to spare.
inline constexpr double smallest_number = 1e-37;
inline constexpr double largest_number = 1e38;

/// A whole number whose field has no maximum of its own.
inline constexpr double largest_count = 1e9;
/// 2^53 - 1: beyond it numbers lose whole units.
inline constexpr double largest_whole = 9007199254740991.0;

/// Workers of a cluster, of one class and in all.
inline constexpr int most_workers = 10'000'000;

/// How deep lists and objects may be nested.
inline constexpr int deepest_nesting = 100;

/// How many keys an object may have: finding one takes a look at those before it.
inline constexpr std::size_t most_keys = 10'000;

}  // namespace limits
}  // namespace motley
