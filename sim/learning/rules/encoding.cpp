#include "sim/learning/rules/encoding.hpp"

#include <algorithm>
#include <cmath>

namespace motley {
namespace {

constexpr double value_bytes = sizeof(float);
constexpr double index_bytes = 4;

}  // namespace

std::size_t Encoding::entries_sent(std::size_t n) const {
  const auto wanted = static_cast<std::size_t>(std::llround(sent_ * static_cast<double>(n)));
  const std::size_t k = std::clamp<std::size_t>(wanted, 1, n);
  const double bytes = static_cast<double>(k) * (value_bytes + index_bytes);
  return bytes >= static_cast<double>(n) * value_bytes ? n : k;
}

double Encoding::share(std::size_t n) const {
  const double full = static_cast<double>(n) * value_bytes;
  double bytes = full;
  switch (kind_) {
    case Kind::full:
      break;
    case Kind::sparse: {
      const std::size_t k = entries_sent(n);
      if (k < n) bytes = static_cast<double>(k) * (value_bytes + index_bytes);
      break;
    }
    case Kind::quantized:
      bytes = std::ceil(static_cast<double>(n * bits_) / 8) + value_bytes;
      break;
    case Kind::signs:
      bytes = std::ceil(static_cast<double>(n) / 8) + value_bytes;
  }
  return std::min(1.0, bytes / full);
}

}  // namespace motley
