#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "sim/learning/rules/encoding.hpp"
#include "sim/learning/rules/parameters.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

class RandomStream;

/// How pushed gradients are made smaller on their way.
struct CompressSpec {
  enum class Kind { none, top_k, quantize, sign };
  Kind kind = Kind::none;
  double share = 0;      ///< top_k: of the entries that are sent
  std::size_t bits = 0;  ///< quantize: of an entry
  bool error_feedback = true;
  std::optional<double> encode_flops = {};  ///< of an entry; none when absent

  static Fields<CompressSpec> fields();
};

/// Compresses one vector after another for one sender and keeps what was left out of them.
///
/// top_k: the k = share * n entries of largest magnitude (at least one; of equal ones the first),
/// each as its value and a 4-byte index; the dense vector where that is shorter.
/// quantize: each entry in b bits, one of the 2 L + 1 multiples of m/L from -m to m, where m is the
/// largest magnitude and L = 2^(b-1) - 1; to one of its two neighbours, so that the expectation is the
/// entry; and m in 4 bytes (D. Alistarh et al.: QSGD, NeurIPS 2017, here scaled by the maximum; 2 bits
/// are W. Wen et al.: TernGrad, NeurIPS 2017).
/// sign: one bit per entry for its sign, and the mean magnitude in 4 bytes (S. P. Karimireddy et al.:
/// Error Feedback Fixes SignSGD, ICML 2019).
///
/// With error feedback what is left out is added to the next vector (S. Stich, J.-B. Cordonnier,
/// M. Jaggi: Sparsified SGD with Memory, NeurIPS 2018).
class Compressor {
 public:
  /// std::invalid_argument where share or bits are outside the ranges of the keys.
  explicit Compressor(const CompressSpec& spec);

  /// v becomes what its receiver gets. Returns how that is written on the wire: the encoding of the
  /// message it goes with. Vectors that share an error feedback, and only those, share a compressor.
  /// quantize draws one number per entry from `random`, the others none.
  Encoding compress(Parameters& v, RandomStream& random);
  /// v goes as it is, with all that was left out so far.
  void send_all(Parameters& v);

 private:
  // Each fills in what is sent of v.
  void send_largest(std::span<const float> v, std::span<float> sent) const;
  void send_levels(std::span<const float> v, std::span<float> sent, RandomStream& random) const;
  static void send_signs(std::span<const float> v, std::span<float> sent);

  CompressSpec spec_;
  Encoding encoding_;
  Parameters left_out_;
};

}  // namespace motley
