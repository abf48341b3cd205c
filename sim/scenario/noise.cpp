#include "sim/scenario/noise.hpp"

#include <cmath>

#include "sim/base/random_laws.hpp"

namespace motley {

Fields<NoiseSpec> NoiseSpec::fields() {
  Fields<NoiseSpec> f;
  f.add({.name = "law",
         .doc = "of the factor on each step's compute time: none, lognormal (exp(sigma N - "
                "sigma^2/2), of mean 1), half_normal (1 + sigma |N|), exponential (1 + mean E), "
                "pareto (at least 1, with a heavy tail); N and E are standard normal and "
                "exponential draws",
         .choices = {"none", "lognormal", "half_normal", "exponential", "pareto"}},
        &NoiseSpec::law);
  f.add({.name = "sigma",
         .doc = "lognormal: standard deviation of the factor's logarithm; half_normal: of the "
                "normal draw, as a share of the step's time",
         .minimum = 0,
         .maximum = 10,  // exp() of some standard deviations stays far from its limits
         .kinds = {"lognormal", "half_normal"}},
        &NoiseSpec::sigma);
  f.add({.name = "mean",
         .doc = "mean delay as a share of the step's time",
         .minimum = 0,
         .maximum = 1e6,
         .kinds = {"exponential"}},
        &NoiseSpec::mean);
  f.add({.name = "alpha",
         .doc = "tail index: P(factor > x) = x^-alpha; its mean is alpha / (alpha - 1)",
         .minimum = 1,
         .above_minimum = true,
         .kinds = {"pareto"}},
        &NoiseSpec::alpha);
  return f;
}

double StepNoise::next() {
  switch (spec_.law) {
    case NoiseSpec::Law::none:
      return 1;
    case NoiseSpec::Law::lognormal:
      return std::exp(spec_.sigma * standard_normal(random_) - spec_.sigma * spec_.sigma / 2);
    case NoiseSpec::Law::half_normal:
      return 1 + spec_.sigma * std::abs(standard_normal(random_));
    case NoiseSpec::Law::exponential:
      return 1 + spec_.mean * exponential(random_);
    case NoiseSpec::Law::pareto:
      return pareto(random_, spec_.alpha);
  }
  return 1;
}

double StepNoise::take(std::size_t steps) {
  if (spec_.law == NoiseSpec::Law::none) return static_cast<double>(steps);
  double sum = 0;
  for (std::size_t i = 0; i < steps; ++i) sum += next();
  return sum;
}

}  // namespace motley
