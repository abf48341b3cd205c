#pragma once

#include <cstddef>
#include <cstdint>

namespace motley {

/// How the entries of a vector are written on the wire: in full precision unless a Compressor has
/// made the vector smaller, which alone can say otherwise.
class Encoding {
 public:
  Encoding() = default;

  /// The bytes that n entries take, as a share of those in full precision; never more than these.
  double share(std::size_t n) const;
  /// Whether the entries are a few different values, of which each entry needs some bits.
  bool has_levels() const { return kind_ == Kind::quantized || kind_ == Kind::signs; }

 private:
  friend class Compressor;
  enum class Kind : std::uint8_t { full, sparse, quantized, signs };

  /// sparse: how many of n entries are sent, each with its index; all where that is shorter.
  std::size_t entries_sent(std::size_t n) const;

  double sent_ = 1;  // sparse: the share of the entries that is sent
  Kind kind_ = Kind::full;
  std::uint8_t bits_ = 0;  // quantized: of an entry
};

}  // namespace motley
