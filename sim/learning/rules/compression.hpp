#pragma once

#include "sim/learning/rules/parameters.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// How pushed gradients are made smaller on their way.
struct CompressSpec {
  enum class Kind { none, top_k };
  Kind kind = Kind::none;
  double share = 0;  ///< top_k: of the entries that are sent
  bool error_feedback = true;

  static Fields<CompressSpec> fields();
};

/// Compresses one vector after another for one sender and keeps what was left out of them.
///
/// top_k: the k = share * n entries of largest magnitude (at least one; of equal ones the first),
/// each as its value and a 4-byte index; the dense vector where that is shorter. With error feedback
/// what is left out is added to the next vector (S. Stich, J.-B. Cordonnier, M. Jaggi: Sparsified SGD
/// with Memory, NeurIPS 2018).
class Compressor {
 public:
  explicit Compressor(const CompressSpec& spec) : spec_(spec) {}

  /// v becomes what its receiver gets. Returns the bytes this takes on the wire as a share of the
  /// full-precision vector's. The same vector must always come to the same compressor.
  double compress(Parameters& v);

 private:
  CompressSpec spec_;
  Parameters left_out_;
};

}  // namespace motley
