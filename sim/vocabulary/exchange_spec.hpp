#pragma once

#include "sim/learning/rules/compression.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// How the model travels between workers and servers; parameters of the algorithms that exchange
/// gradients for models.
struct ExchangeSpec {
  enum class Overlap { none, layers };
  enum class Placement { even, fast_first, slow_first };
  Overlap overlap = Overlap::none;
  Placement placement = Placement::even;
  CompressSpec compress = {};  ///< of pushed gradients

  static Fields<ExchangeSpec> fields();
  /// Of the key "compress", for algorithms that take nothing else of these.
  static FieldInfo compress_field();
};

}  // namespace motley
