#pragma once

#include "sim/learning/rules/update_rule.hpp"

/// A term (mu/2) |y - x|^2 beside the loss, which adds mu (y - x) to every gradient: weight decay of mu,
/// and a shift of -mu x. Not for rules whose weight decay is no part of the gradient.
namespace motley {

/// How the key "proximal" is described.
FieldInfo proximal_field();
/// InputError at `place`, of the term, when the rule cannot take it.
void check_proximal(double mu, const UpdateSpec& spec, const Place& place);
/// The rule that has the term; the same where mu is 0.
UpdateSpec with_proximal(UpdateSpec spec, double mu);
/// The shift that goes with it; none where mu is 0.
Parameters proximal_shift(const Parameters& x, double mu);

}  // namespace motley
