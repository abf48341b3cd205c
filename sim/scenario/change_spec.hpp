#pragma once

#include <optional>
#include <string>

#include "sim/scenario/factor_steps.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/scenario/random_amount.hpp"

namespace motley {

/// A change at a known moment: of a class's workers and their links.
struct ChangeSpec {
  double at_s = 0;
  std::optional<double> for_s;  ///< absent: for good
  std::optional<double> speed;
  std::optional<double> bandwidth;

  static Fields<ChangeSpec> fields();
  /// With this factor, while the change lasts.
  TimedFactor timed(double factor) const;
};

/// The same of whom it names: exactly one of the three.
struct NamedChangeSpec : ChangeSpec {
  std::optional<std::string> worker;
  std::optional<std::string> class_name;
  std::optional<std::string> link;

  static Fields<NamedChangeSpec> fields();
};

/// Slow-downs that come at random and stay for a while, of each worker by itself.
struct SlowdownSpec {
  RandomTime after;
  RandomTime lasting;
  RandomSlowness slower;

  static Fields<SlowdownSpec> fields();
};

/// Refuses a change of nothing.
void check_change(const ChangeSpec& change, const Place& place);

}  // namespace motley
