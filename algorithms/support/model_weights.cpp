#include "algorithms/support/model_weights.hpp"

#include <algorithm>
#include <string>

namespace motley {

Fields<ModelWeights> ModelWeights::fields() {
  Fields<ModelWeights> f;
  f.add(
      {.name = "aggregation",
       .doc = "weights of the models: uniform, steps (in proportion to local steps) or slow_share",
       .fallback = "uniform",
       .choices = {"uniform", "steps", "slow_share"}},
      &ModelWeights::aggregation);
  f.add({.name = "slow_share",
         .doc = "total weight of the slow workers, with aggregation = slow_share",
         .minimum = 0,
         .maximum = 1},
        &ModelWeights::slow_share);
  return f;
}

void ModelWeights::check(const std::vector<bool>& slow, const Place& place) const {
  const bool wants_share = aggregation == Aggregation::slow_share;
  if (wants_share != slow_share.has_value()) {
    throw InputError(place / "slow_share", wants_share
                                               ? "must be given with aggregation = slow_share"
                                               : "is only for aggregation = slow_share: remove it");
  }
  if (!wants_share) return;
  const auto count = static_cast<std::size_t>(std::count(slow.begin(), slow.end(), true));
  if (count == 0 || count == slow.size()) {
    throw InputError(place / "aggregation", "slow_share needs both slow and fast workers, but " +
                                                std::string(count == 0 ? "none" : "every one") +
                                                " is slow");
  }
}

std::vector<double> ModelWeights::weights_of(std::span<const std::size_t> steps,
                                             const std::vector<bool>& slow) const {
  const auto slow_ones = static_cast<double>(std::count(slow.begin(), slow.end(), true));
  const double fast_ones = static_cast<double>(slow.size()) - slow_ones;
  // Measured speeds may have left one of them empty.
  if (aggregation == Aggregation::slow_share && (slow_ones == 0 || fast_ones == 0)) {
    return std::vector<double>(slow.size(), 1);
  }
  std::vector<double> weights;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    switch (aggregation) {
      case Aggregation::uniform:
        weights.push_back(1);
        break;
      case Aggregation::steps:
        weights.push_back(static_cast<double>(steps[i]));
        break;
      case Aggregation::slow_share:
        weights.push_back(slow[i] ? *slow_share / slow_ones : (1 - *slow_share) / fast_ones);
    }
  }
  return weights;
}

}  // namespace motley
