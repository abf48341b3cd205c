#include "sim/base/random_laws.hpp"

#include <cmath>

#include <boost/math/distributions/normal.hpp>

namespace motley {

double open_uniform(RandomStream& random) {
  // 52 bits and a half: neither end can come out, not even by rounding.
  const std::uint64_t high = random() >> 6U;
  const std::uint64_t low = random() >> 6U;
  return (static_cast<double>(high << 26U | low) + 0.5) * 0x1p-52;
}

double standard_normal(RandomStream& random) {
  // Not promoted to long double, whose size differs between machines.
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::quantile(boost::math::normal_distribution<double, Policy>(),
                               open_uniform(random));
}

double exponential(RandomStream& random) {
  return -std::log(open_uniform(random));
}

double pareto(RandomStream& random, double alpha) {
  return std::pow(open_uniform(random), -1 / alpha);
}

}  // namespace motley
