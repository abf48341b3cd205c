#include "sim/learning/rules/compression.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/base/json_value.hpp"

namespace motley {
namespace {

/// The indices of the k entries of largest magnitude, of equal ones the first.
std::vector<std::uint32_t> largest(std::span<const float> v, std::size_t k) {
  std::vector<std::uint32_t> order(v.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const float x = std::abs(v[a]);
    const float y = std::abs(v[b]);
    return x != y ? x > y : a < b;
  };
  if (k < order.size()) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                     before);
    order.resize(k);
  }
  return order;
}

}  // namespace

Fields<CompressSpec> CompressSpec::fields() {
  Fields<CompressSpec> f;
  f.add({.name = "kind",
         .doc = "none or top_k (the entries of largest magnitude, with their indices)",
         .fallback = "none",
         .choices = {"none", "top_k"}},
        &CompressSpec::kind);
  f.add({.name = "share",
         .doc = "of the entries that are sent",
         .fallback = 0.01,
         .minimum = 0,
         .maximum = 1,
         .above_minimum = true,
         .kinds = {"top_k"}},
        &CompressSpec::share);
  f.add({.name = "error_feedback",
         .doc = "add what was left out to the next gradient",
         .fallback = true,
         .kinds = {"top_k"}},
        &CompressSpec::error_feedback);
  return f;
}

double Compressor::compress(Parameters& v) {
  if (spec_.kind == CompressSpec::Kind::none || v.empty()) return 1;
  const std::size_t n = v.size();
  const auto wanted = static_cast<std::size_t>(std::llround(spec_.share * static_cast<double>(n)));
  const std::size_t k = std::clamp<std::size_t>(wanted, 1, n);
  if (spec_.error_feedback) {
    if (left_out_.empty()) left_out_ = Parameters::zeros(n);
    v += left_out_;
  }
  Parameters sent = Parameters::zeros(n);
  const std::span<float> to = sent.writable();
  for (const std::uint32_t i : largest(v.values(), k)) to[i] = v.values()[i];
  if (spec_.error_feedback) {
    left_out_ = v;
    left_out_ -= 1.0F * sent;
  }
  v = std::move(sent);
  constexpr double value_bytes = sizeof(float);
  constexpr double index_bytes = 4;
  return std::min(1.0, static_cast<double>(k) * (value_bytes + index_bytes) /
                           (static_cast<double>(n) * value_bytes));
}

}  // namespace motley
