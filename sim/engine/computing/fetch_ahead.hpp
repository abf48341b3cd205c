#pragma once

#include <cstddef>

namespace motley {

/// With thousands of workers, what one of them needs is in none of the caches when its turn comes. Lets the
/// first so many bytes of it come while something else is done.
inline void fetch_ahead(const void* object, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t offset = 0; offset < bytes; offset += line) {
    __builtin_prefetch(static_cast<const char*>(object) + offset);
  }
}

}  // namespace motley
