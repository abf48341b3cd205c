#include "algorithms/support/compressed_one_step_delay.hpp"

#include <utility>

namespace motley {

Fields<CompressedOneStepDelay::Options> CompressedOneStepDelay::Options::fields() {
  Fields<Options> f;
  f.include(SgdSpec::fields());
  f.include(OneStepDelay::fields());
  f.include(ExchangeSpec::fields(R"({"kind": "quantize", "bits": 2})"));
  f.add({.name = "correct_every",
         .doc = "k: every k-th gradient is sent in full precision, with what was left out before",
         .fallback = 5,
         .minimum = 1,
         .word = "inf"},
        &Options::correct_every);
  return f;
}

AlgorithmInfo describe_compressed_one_step_delay(std::string name, std::string summary,
                                                 std::string paper, Listed listed) {
  return describe<CompressedOneStepDelay>(
      std::move(name), std::move(summary), std::move(paper), listed,
      "the mean is over those present; one that returns is sent the model and warms up again",
      {.family = Family::synchronous,
       .needs = "a server",
       .different_data = true,
       .cost = "W, and W compressed (every k-th time in full)"});
}

}  // namespace motley
