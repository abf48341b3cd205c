#include "sim/learning/models/problem.hpp"

#include <stdexcept>

#include "sim/learning/models/mlp.hpp"
#include "sim/learning/models/quadratic.hpp"
#include "sim/learning/models/time_only.hpp"

namespace motley {

double Problem::flops_per_sample() const {
  double flops = 0;
  for (const Layer& layer : layers()) flops += layer.forward_flops + layer.backward_flops;
  return flops;
}

std::unique_ptr<Problem> make_problem(const ModelSpec& spec, const Dataset* data,
                                      std::uint64_t seed) {
  if (spec.kind == ModelSpec::Kind::quadratic) return std::make_unique<Quadratic>(spec, seed);
  if (spec.kind == ModelSpec::Kind::none) return std::make_unique<TimeOnly>(spec.samples);
  if (data == nullptr) throw std::logic_error("this model needs data");
  if (spec.kind == ModelSpec::Kind::mlp) {
    return std::make_unique<Mlp>(*data, spec.hidden, spec.weight_decay);
  }
  return std::make_unique<Mlp>(*data, std::vector<std::size_t>{}, spec.weight_decay);
}

}  // namespace motley
