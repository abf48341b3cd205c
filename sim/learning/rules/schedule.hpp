#pragma once

#include <optional>
#include <vector>

#include "sim/scenario/fields.hpp"

namespace motley {

/// How the step size changes over a run, counted in epochs from its start.
struct ScheduleSpec {
  enum class Kind { constant, step, cosine, milestones };
  Kind kind = Kind::constant;
  double every_epochs = 0;  ///< step: multiply by `factor` each time so many epochs have passed
  double factor = 0;        ///< step, milestones
  double epochs = 0;        ///< cosine: from 1 down to `floor` over so many epochs, then stay
  double floor = 0;         ///< cosine: as a share of the step size
  /// milestones: multiply by `factor` when each of these has passed
  std::vector<double> at_epochs;
  /// Linear warm-up in front of any kind: from 0 up over so many epochs. The kind's own epochs are
  /// counted from the start of the run, as papers count their milestones.
  std::optional<double> warm_up_epochs;

  bool operator==(const ScheduleSpec&) const = default;
  /// The factor on the step size after `epoch` epochs.
  double at(double epoch) const;

  static Fields<ScheduleSpec> fields();

 private:
  double without_warm_up(double epoch) const;
};

}  // namespace motley
