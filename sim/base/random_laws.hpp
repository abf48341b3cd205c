#pragma once

#include "sim/base/random.hpp"

/// Random laws by inversion: every draw takes exactly two numbers of the stream, so the n-th draw
/// is the same whatever the law's parameters, and grows with them.
namespace motley {

/// Strictly between 0 and 1.
double open_uniform(RandomStream& random);
double standard_normal(RandomStream& random);
/// Of mean 1.
double exponential(RandomStream& random);
/// Of at least 1: P(x > t) = t^-alpha.
double pareto(RandomStream& random, double alpha);

}  // namespace motley
