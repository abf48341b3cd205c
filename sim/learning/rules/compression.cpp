#include "sim/learning/rules/compression.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/base/random.hpp"

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
  f.add(
      {.name = "kind",
       .doc = "none, top_k (the entries of largest magnitude, with their indices), quantize (a few "
              "bits per entry, rounded at random) or sign (one bit per entry)",
       .fallback = "none",
       .choices = {"none", "top_k", "quantize", "sign"}},
      &CompressSpec::kind);
  f.add({.name = "share",
         .doc = "of the entries that are sent",
         .fallback = 0.01,
         .minimum = 0,
         .maximum = 1,
         .above_minimum = true,
         .kinds = {"top_k"}},
        &CompressSpec::share);
  f.add({.name = "bits",
         .doc = "of an entry, its sign included",
         .fallback = 2,
         .minimum = 2,
         .maximum = 16,
         .kinds = {"quantize"}},
        &CompressSpec::bits);
  f.add({.name = "error_feedback",
         .doc =
             "add what was left out to the next gradient; for quantize with few bits better false: "
             "its rounding is right on average, and what is left out would pile up",
         .fallback = true,
         .kinds = {"top_k", "quantize", "sign"}},
        &CompressSpec::error_feedback);
  f.add({.name = "encode_flops",
         .doc =
             "what a worker computes to encode one entry, 4 bytes of the model's size on the wire, "
             "before it sends; none when absent",
         .minimum = 0,
         .kinds = {"top_k", "quantize", "sign"}},
        &CompressSpec::encode_flops);
  return f;
}

Compressor::Compressor(const CompressSpec& spec) : spec_(spec) {
  switch (spec.kind) {
    case CompressSpec::Kind::none:
      break;
    case CompressSpec::Kind::top_k:
      if (!(spec.share > 0 && spec.share <= 1)) {
        throw std::invalid_argument("top_k sends a share of the entries above 0 and at most 1");
      }
      encoding_.kind_ = Encoding::Kind::sparse;
      encoding_.sent_ = spec.share;
      break;
    case CompressSpec::Kind::quantize:
      if (spec.bits < 2 || spec.bits > 16) {
        throw std::invalid_argument("quantize takes 2 to 16 bits per entry");
      }
      encoding_.kind_ = Encoding::Kind::quantized;
      encoding_.bits_ = static_cast<std::uint8_t>(spec.bits);
      break;
    case CompressSpec::Kind::sign:
      encoding_.kind_ = Encoding::Kind::signs;
  }
}

void Compressor::send_largest(std::span<const float> v, std::span<float> sent) const {
  const std::size_t k = encoding_.entries_sent(v.size());
  if (k == v.size()) {
    std::ranges::copy(v, sent.begin());
    return;
  }
  std::ranges::fill(sent, 0.0F);
  for (const std::uint32_t i : largest(v, k)) sent[i] = v[i];
}

void Compressor::send_levels(std::span<const float> v, std::span<float> sent,
                             RandomStream& random) const {
  float most = 0;
  for (const float value : v) most = std::max(most, std::abs(value));
  const double levels = std::exp2(static_cast<double>(spec_.bits - 1)) - 1;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double drawn = random() / 4294967296.0;  // in [0, 1), drawn even where all are 0
    const double exact = most > 0 ? std::abs(v[i]) / static_cast<double>(most) * levels : 0;
    const double level = std::floor(exact + drawn);
    sent[i] = std::copysign(static_cast<float>(level / levels * most), v[i]);
  }
}

void Compressor::send_signs(std::span<const float> v, std::span<float> sent) {
  double sum = 0;
  for (const float value : v) sum += std::abs(value);
  const auto mean = static_cast<float>(sum / static_cast<double>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) sent[i] = v[i] < 0 ? -mean : mean;
}

void Compressor::send_all(Parameters& v) {
  if (left_out_.empty()) return;
  v += left_out_;
  left_out_ = Parameters();
}

Encoding Compressor::compress(Parameters& v, RandomStream& random) {
  if (spec_.kind == CompressSpec::Kind::none || v.empty()) return {};
  const std::size_t n = v.size();
  if (spec_.error_feedback) {
    if (left_out_.empty()) left_out_ = Parameters::zeros(n);
    v += left_out_;
  }
  Parameters sent(n);
  switch (spec_.kind) {
    case CompressSpec::Kind::none:
      break;
    case CompressSpec::Kind::top_k:
      send_largest(v.values(), sent.overwritable());
      break;
    case CompressSpec::Kind::quantize:
      send_levels(v.values(), sent.overwritable(), random);
      break;
    case CompressSpec::Kind::sign:
      send_signs(v.values(), sent.overwritable());
  }
  if (spec_.error_feedback) {
    left_out_ = v;
    left_out_ -= 1.0F * sent;
  }
  v = std::move(sent);
  return encoding_;
}

}  // namespace motley
