#include "sim/vocabulary/algorithm.hpp"

namespace motley {

Fields<DefaultsSpec> DefaultsSpec::fields() {
  return Fields<DefaultsSpec>()
      .include(SgdSpec::fields())
      .include(ExchangeSpec::fields())
      .include(GradientAllReduceSpec::fields());
}

}  // namespace motley
