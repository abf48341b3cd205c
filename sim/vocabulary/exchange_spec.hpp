#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/learning/rules/compression.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// How vectors travel. All but the collective is about models and gradients between workers and
/// servers: parameters of the algorithms that exchange gradients for models.
struct ExchangeSpec {
  enum class Overlap { none, layers };
  enum class Placement { even, fast_first, slow_first };
  enum class Collective { ring, hierarchical, tree, halving_doubling };
  Overlap overlap = Overlap::none;
  Placement placement = Placement::even;
  CompressSpec compress = {};  ///< of pushed gradients
  Collective collective = Collective::ring;
  std::optional<double> bucket_bytes = {};  ///< of gradients that are all-reduced; empty: whole

  /// `compress_fallback`: JSON, what "compress" is when it is not given.
  static Fields<ExchangeSpec> fields(const char* compress_fallback = "{}");
  /// Of the key "compress", for algorithms that take nothing else of these.
  static FieldInfo compress_field(const char* fallback = "{}");

  /// The names of the collectives, in their order.
  static const std::vector<std::string>& collectives();
  static const std::string& name_of(Collective collective);
};

/// How vectors are averaged among workers; parameters of the algorithms that use all-reduce.
struct AllReduceSpec {
  ExchangeSpec::Collective collective = ExchangeSpec::Collective::ring;

  operator ExchangeSpec() const {  // NOLINT(google-explicit-constructor): Algorithm::exchange()
    return {.collective = collective};
  }
  static Fields<AllReduceSpec> fields();
};

/// The same where gradients are averaged (see Worker::averaged_gradient).
struct GradientAllReduceSpec : AllReduceSpec {
  std::optional<double> bucket_bytes;

  operator ExchangeSpec() const {  // NOLINT(google-explicit-constructor): Algorithm::exchange()
    return {.collective = collective, .bucket_bytes = bucket_bytes};
  }
  static Fields<GradientAllReduceSpec> fields();
};

}  // namespace motley
