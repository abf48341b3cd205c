#include "algorithms/support/compressed_one_step_delay.hpp"

namespace motley {

Fields<CompressedOneStepDelay::Options> CompressedOneStepDelay::Options::fields() {
  Fields<Options> f;
  f.include(SgdSpec::fields());
  f.include(OneStepDelay::fields());
  FieldInfo compress = ExchangeSpec::compress_field();
  compress.fallback = JsonValue::parse(R"({"kind": "quantize", "bits": 2})");
  f.add(compress, &Options::compress);
  f.add({.name = "correct_every",
         .doc = "k: every k-th gradient is sent in full precision, with what was left out before",
         .fallback = 5,
         .minimum = 1,
         .word = "inf"},
        &Options::correct_every);
  return f;
}

}  // namespace motley
