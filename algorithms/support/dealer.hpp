#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/learning/data/sample.hpp"

namespace motley {

/// Deals the training samples to the workers anew, again and again: all for so many samples each,
/// as a pure function of the seed, the number of the deal and, with bias, the scores.
///
/// Without bias the hands are disjoint slices of one permutation. With bias, the slow workers'
/// hands are the samples with the largest scores out of candidates drawn without replacement,
/// `candidate_ratio` times as many as they need (or all there are); the others' hands are slices of
/// a fresh permutation of everything. When all hands together are more than the samples, the
/// permutation is continued by another one.
class Dealer {
 public:
  struct Setup {
    std::size_t samples = 0;             ///< in the training set
    std::vector<std::size_t> hand_size;  ///< of each worker
    std::vector<bool> slow;              ///< of each worker; used with bias
    bool biased = false;
    double candidate_ratio = 1;
    std::uint64_t seed = 0;
  };

  explicit Dealer(Setup setup);

  std::size_t samples() const { return scores_.size(); }
  /// How badly it is learnt, by its training loss (see Scores); at first infinite.
  void set_score(Sample sample, float loss) { scores_[sample] = loss; }
  float score(Sample sample) const { return scores_[sample]; }

  /// Makes the hands of deal 0, 1, ..., by worker. Scores count as they are now.
  void deal();
  /// Of the last deal.
  const std::vector<std::vector<Sample>>& hands() const { return hands_; }
  /// From which the slow workers' samples of the last deal were chosen.
  const std::vector<Sample>& candidates() const { return candidates_; }

  /// What one needs to go on as another does: its hands and, with bias, the scores.
  std::uint64_t wire_bytes() const;

 private:
  std::vector<Sample> biased_samples(std::size_t count);

  Setup setup_;
  std::uint32_t deals_ = 0;
  std::vector<float> scores_;
  std::vector<Sample> candidates_;
  std::vector<std::vector<Sample>> hands_;
};

}  // namespace motley
