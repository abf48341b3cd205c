#include "algorithms/support/staleness_scaling.hpp"

#include <algorithm>

namespace motley {

Fields<StalenessScaling> StalenessScaling::fields() {
  Fields<StalenessScaling> f;
  f.add({.name = "staleness_scaling",
         .doc = "of a gradient that is delta updates old: none, inverse (1/max(1, delta)) or "
                "adaptive (W/max(W, delta))",
         .fallback = "none",
         .choices = {"none", "inverse", "adaptive"}},
        &StalenessScaling::staleness_scaling);
  return f;
}

float StalenessScaling::scale(std::uint64_t delta, std::size_t workers) const {
  const auto staleness = static_cast<float>(delta);
  const auto all = static_cast<float>(workers);
  switch (staleness_scaling) {
    case Law::none:
      return 1;
    case Law::inverse:
      return 1 / std::max(1.0F, staleness);
    case Law::adaptive:
      return all / std::max(all, staleness);
  }
  return 1;
}

}  // namespace motley
