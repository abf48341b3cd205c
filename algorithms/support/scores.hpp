#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/support/dealer.hpp"

namespace motley {

/// What the workers have learnt since the last deal, and what scores of samples become of it.
///   latest   the latest loss counts, whoever had it; in one round that of the highest rank
///   minimum  everybody keeps scores of its own, the latest loss that it had, and at a deal the least of all
///            becomes everybody's. Who has not learnt a sample since has its old score, so that a score
///            goes up only where all workers have learnt the sample
enum class Scores { latest, minimum };

/// A worker's losses in the order in which it had them, as numbers that can travel.
class LearntLosses {
 public:
  void add(std::size_t round, Sample sample, float loss);
  void clear() { numbers_.clear(); }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  std::vector<double> numbers_;  // round, sample, loss, and so on
};

/// `learnt`: everybody's LearntLosses::numbers, by rank; empty for those who are gone.
void set_scores(Dealer& dealer, Scores how, const std::vector<std::vector<double>>& learnt);

}  // namespace motley
