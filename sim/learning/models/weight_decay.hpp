#pragma once

#include <span>

#include "sim/scenario/fields.hpp"

namespace motley {

/// The key of every classifier.
FieldInfo weight_decay_field();

/// What weight decay adds to the objective: weight_decay / 2 times the squared norm of the parameters.
double weight_decay_term(double weight_decay, std::span<const float> x);

}  // namespace motley
