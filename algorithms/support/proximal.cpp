#include "algorithms/support/proximal.hpp"

namespace motley {

FieldInfo proximal_field() {
  return {.name = "proximal",
          .doc = "mu: adds mu (y - x) to the gradients of a worker that was sent x",
          .fallback = 0.0,
          .minimum = 0};
}

void check_proximal(double mu, const UpdateSpec& spec, const Place& place) {
  if (mu > 0 && spec.rule.kind == RuleSpec::Kind::adamw) {
    throw InputError(place, "is not for adamw, whose weight decay is no part of the gradient");
  }
}

UpdateSpec with_proximal(UpdateSpec spec, double mu) {
  spec.weight_decay += mu;
  return spec;
}

Parameters proximal_shift(const Parameters& x, double mu) {
  if (mu == 0) return {};
  Parameters shift = x;
  shift *= -static_cast<float>(mu);
  return shift;
}

}  // namespace motley
