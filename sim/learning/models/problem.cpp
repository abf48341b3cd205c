#include "sim/learning/models/problem.hpp"

namespace motley {

double Problem::flops_per_sample() const {
  double flops = 0;
  for (const Layer& layer : layers()) flops += layer.forward_flops + layer.backward_flops;
  return flops;
}

}  // namespace motley
