#include "sim/learning/rules/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace motley {

Fields<ScheduleSpec> ScheduleSpec::fields() {
  Fields<ScheduleSpec> f;
  f.add({.name = "kind",
         .doc = "constant, step (times factor at regular intervals), cosine (down to floor) or "
                "milestones (times factor at given epochs)",
         .fallback = "constant",
         .choices = {"constant", "step", "cosine", "milestones"}},
        &ScheduleSpec::kind);
  f.add({.name = "every_epochs",
         .doc = "epochs between two steps",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"step"}},
        &ScheduleSpec::every_epochs);
  f.add({.name = "factor",
         .doc = "of the step size at each step or milestone",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"step", "milestones"}},
        &ScheduleSpec::factor);
  f.add({.name = "epochs",
         .doc = "epochs until the floor is reached",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"cosine"}},
        &ScheduleSpec::epochs);
  f.add({.name = "floor",
         .doc = "smallest step size, as a share of step_size",
         .fallback = 0.0,
         .minimum = 0,
         .maximum = 1,
         .kinds = {"cosine"}},
        &ScheduleSpec::floor);
  f.add({.name = "at_epochs",
         .doc = "the milestones: after how many epochs the step size is multiplied by factor",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"milestones"}},
        &ScheduleSpec::at_epochs);
  f.add({.name = "warm_up_epochs",
         .doc = "the step size first rises linearly from 0 over this many epochs; no warm-up when "
                "absent",
         .minimum = 0,
         .above_minimum = true},
        &ScheduleSpec::warm_up_epochs);
  return f;
}

double ScheduleSpec::without_warm_up(double epoch) const {
  switch (kind) {
    case Kind::constant:
      return 1;
    case Kind::step:
      return std::pow(factor, std::floor(epoch / every_epochs));
    case Kind::cosine: {
      const double done = std::min(1.0, epoch / epochs);
      return floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done));
    }
    case Kind::milestones: {
      const auto passed = std::count_if(at_epochs.begin(), at_epochs.end(),
                                        [&](double milestone) { return milestone <= epoch; });
      return std::pow(factor, static_cast<double>(passed));
    }
  }
  return 1;
}

double ScheduleSpec::at(double epoch) const {
  if (!warm_up_epochs || epoch >= *warm_up_epochs) return without_warm_up(epoch);
  return epoch / *warm_up_epochs * without_warm_up(epoch);
}

}  // namespace motley
