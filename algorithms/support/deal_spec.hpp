#pragma once

#include "algorithms/support/scores.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/run_facts.hpp"

namespace motley {

/// How an algorithm deals the training data to its workers; see Dealer.
struct DealSpec {
  enum class Deal { own_order, disjoint };
  bool bias_sampling = true;
  double candidate_ratio = 0;
  Scores scores = Scores::minimum;
  Deal deal = Deal::own_order;

  /// Whether anything is dealt: otherwise each worker passes over the data by itself.
  bool deals() const { return bias_sampling || deal == Deal::disjoint; }
  /// InputError at `place` when the scenario has already given each worker its part.
  void check(const RunFacts& facts, const Place& place) const;

  static Fields<DealSpec> fields();
};

}  // namespace motley
