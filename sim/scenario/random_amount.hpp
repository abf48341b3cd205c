#pragma once

#include <optional>

#include "sim/base/random.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// A law of times or sizes, whichever its dimension is.
struct AmountLaw {
  enum class Law { uniform, exponential, lognormal, pareto, geometric };
  Law law = Law::uniform;
  double from = 0;                      ///< uniform
  double to = 0;                        ///< uniform
  std::optional<double> step;           ///< uniform: only from, from + step, ...
  double mean = 0;                      ///< exponential, lognormal
  double sigma = 0;                     ///< lognormal
  double least = 0;                     ///< pareto
  double alpha = 0;                     ///< pareto
  double period = 0;                    ///< geometric
  double chance = 1;                    ///< geometric
  std::optional<double> constant = {};  ///< instead of all the above

  /// A draw takes exactly two numbers of the stream.
  double draw(RandomStream& random) const;
  /// The mean of all draws.
  double mean_amount() const;
  /// Makes every draw half as large.
  void halve();
};

/// An amount of this dimension as it is written: "30s", always the same; or a law, {"law":
/// "exponential", "mean": "30s"}.
template <Dimension dimension>
struct RandomAmount : AmountLaw {
  static RandomAmount read(const Json& value, const Place& place);
  static JsonValue schema();
};

using RandomTime = RandomAmount<Dimension::time>;
using RandomSize = RandomAmount<Dimension::data>;

/// How many times slower something gets: 4, always the same; or a law of numbers of at least 1.
struct RandomSlowness {
  enum class Law { uniform, half_normal, exponential, pareto };
  Law law = Law::uniform;
  double from = 1;                      ///< uniform
  double to = 1;                        ///< uniform
  double sigma = 0;                     ///< half_normal
  double mean = 0;                      ///< exponential
  double alpha = 1;                     ///< pareto
  std::optional<double> constant = {};  ///< instead of all the above

  static RandomSlowness read(const Json& value, const Place& place);
  static JsonValue schema();
  /// A draw takes exactly two numbers of the stream; at most largest_change.
  double draw(RandomStream& random) const;
};

/// Speeds and bandwidths change by no more than this, up or down: beyond it nothing would ever end.
inline constexpr double largest_change = 1e6;

}  // namespace motley
