#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "sim/vocabulary/message.hpp"

namespace motley {

/// floor(bytes * part / parts) for part <= parts < 2^32, whatever the bytes.
inline std::uint64_t part_of_bytes(std::uint64_t bytes, std::uint64_t part, std::uint64_t parts) {
  return bytes / parts * part + bytes % parts * part / parts;
}

/// What a message takes on the wire, when a vector of `size` floats takes `full` bytes in full
/// precision: whole bytes, and none for a message without vectors. `modelled`: how many entries the
/// vector stands for, where its encoding is to be that of so many.
inline std::uint64_t wire_bytes(const Message& message, std::uint64_t full, std::uint64_t size,
                                std::optional<std::uint64_t> modelled = {}) {
  const auto bytes_of = [&](const Parameters& vector) {
    return part_of_bytes(full, vector.size(), size);
  };
  std::uint64_t bytes = bytes_of(message.vector);
  const double share =
      message.vector.empty() ? 1 : message.encoding.share(modelled.value_or(message.vector.size()));
  if (share < 1) {
    // A byte is not added for a product that only rounding has put above a whole number.
    const double exact = static_cast<double>(bytes) * share;
    bytes = static_cast<std::uint64_t>(std::ceil(exact * (1 - 1e-12)));
  }
  for (const Parameters& vector : message.more) bytes += bytes_of(vector);
  return bytes;
}

}  // namespace motley
