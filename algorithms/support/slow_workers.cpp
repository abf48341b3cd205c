#include "algorithms/support/slow_workers.hpp"

#include <algorithm>

namespace motley {

Fields<SlowWorkers> SlowWorkers::fields() {
  Fields<SlowWorkers> f;
  f.add({.name = "slow_below",
         .doc = "workers below this share of the fastest speed are slow",
         .fallback = 0.5,
         .minimum = 0,
         .maximum = 1},
        &SlowWorkers::slow_below);
  f.add({.name = "slow",
         .doc = "the slow workers by name or rank, instead of slow_below",
         .fallback = JsonValue::parse("[]")},
        &SlowWorkers::slow);
  return f;
}

std::vector<bool> SlowWorkers::of_workers(const RunFacts& facts, std::span<const double> speeds,
                                          const Place& place) const {
  std::vector<bool> is_slow(facts.workers, false);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    is_slow[slow[i].rank_in(facts, place / "slow" / i)] = true;
  }
  const double limit = slow_below * *std::ranges::max_element(speeds);
  for (std::size_t i = 0; slow.empty() && i < facts.workers; ++i) {
    is_slow[i] = speeds[i] < limit;
  }
  return is_slow;
}

}  // namespace motley
