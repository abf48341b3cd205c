#include "sim/study/tuned_parameters.hpp"

#include <algorithm>
#include <set>

#include "sim/base/format.hpp"
#include "sim/study/experiment.hpp"

namespace motley {

bool takes(const AlgorithmInfo& info, const std::string& parameter) {
  return std::any_of(info.parameters.begin(), info.parameters.end(),
                     [&](const FieldInfo& field) { return field.name == parameter; });
}

std::vector<TuneGrid> grids_of(const Json& entry, const AlgorithmInfo& info, const TuneSpec& tune,
                               const Place& place) {
  OwnGrids own;
  if (entry.contains("tune")) own = OwnGrids::read(entry["tune"], place / "tune");
  std::set<std::string> settled;
  std::vector<std::string> names;
  for (const FieldInfo& field : info.parameters) {
    names.push_back(field.name);
    if (entry.contains(field.name)) settled.insert(field.name);
  }
  const auto check = [&](const std::string& parameter) {
    const Place here = place / "tune" / parameter;
    if (!takes(info, parameter)) {
      throw InputError(here, "is no parameter of " + info.name + did_you_mean(parameter, names) +
                                 ", which takes: " + listed(names));
    }
    if (entry.contains(parameter)) {
      throw InputError(here, "has a value beside \"tune\" as well: remove one of them");
    }
    settled.insert(parameter);
  };
  for (const std::string& parameter : own.left_alone) check(parameter);
  for (const TuneGrid& grid : own.grids) check(grid.parameter);
  std::vector<TuneGrid> grids = own.grids;
  for (const TuneGrid& grid : tune.grids) {
    if (takes(info, grid.parameter) && !settled.contains(grid.parameter)) grids.push_back(grid);
  }
  return grids;
}

void check_each_is_tuned(const TuneSpec& tune, const std::vector<RunPlan>& plans) {
  std::set<std::string> known;
  std::set<std::string> used;
  for (const RunPlan& plan : plans) {
    for (const auto& [name, value] : plan.parameters.items()) known.insert(name);
    for (const TuneGrid& grid : plan.grids) used.insert(grid.place.pointer);
  }
  for (const TuneGrid& grid : tune.grids) {
    if (used.contains(grid.place.pointer)) continue;
    throw InputError(
        grid.place, known.contains(grid.parameter)
                        ? "is tuned by nobody: every algorithm that takes it has a value of its own"
                        : "is a parameter of no algorithm here" +
                              did_you_mean(grid.parameter, {known.begin(), known.end()}));
  }
}

}  // namespace motley
