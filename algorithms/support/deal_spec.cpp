#include "algorithms/support/deal_spec.hpp"

#include "algorithms/support/data_shares.hpp"

namespace motley {

Fields<DealSpec> DealSpec::fields() {
  Fields<DealSpec> f;
  f.add({.name = "bias_sampling",
         .doc = "slow workers train on the samples with the largest losses",
         .fallback = true},
        &DealSpec::bias_sampling);
  f.add({.name = "candidate_ratio",
         .doc = "rho: how many times the samples needed are drawn to choose from",
         .fallback = 4.0,
         .minimum = 1},
        &DealSpec::candidate_ratio);
  f.add({.name = "scores",
         .doc = "of a sample that several workers have learnt: minimum (the least of their latest "
                "losses, and of its last score unless all have learnt it) or latest (loss of all)",
         .fallback = "minimum",
         .choices = {"latest", "minimum"}},
        &DealSpec::scores);
  f.add({.name = "deal",
         .doc = "without bias_sampling: own_order (each worker passes over the data by itself) or "
                "disjoint (slices of one permutation)",
         .fallback = "own_order",
         .choices = {"own_order", "disjoint"}},
        &DealSpec::deal);
  return f;
}

void DealSpec::check(const RunFacts& facts, const Place& place) const {
  if (deals()) check_data_can_be_dealt(facts, place / (bias_sampling ? "bias_sampling" : "deal"));
}

}  // namespace motley
