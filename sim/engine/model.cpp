#include "sim/engine/model.hpp"

#include <vector>

namespace motley {

Parameters mean_of(std::span<const Push> pushes) {
  std::vector<const Parameters*> vectors;
  for (const Push& push : pushes) vectors.push_back(&push.gradient);
  const std::vector<float> weights(pushes.size(),
                                   static_cast<float>(1.0 / static_cast<double>(pushes.size())));
  return weighted_sum(vectors, weights);
}

}  // namespace motley
