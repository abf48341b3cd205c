#include "sim/study/tuning/tuned_parameters.hpp"

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
  for (const WrittenGrid& grid : tune.grids) {
    if (takes(info, grid.parameter) && !settled.contains(grid.parameter)) {
      grids.push_back(grid.read());
    }
  }
  for (TuneGrid& grid : grids) {
    const auto field = std::ranges::find(info.parameters, grid.parameter, &FieldInfo::name);
    if (field->type == "integer") grid.list.keep_whole();
  }
  return grids;
}

void check_known(const TuneSpec& tune, const std::vector<Json>& entries) {
  for (const WrittenGrid& grid : tune.grids) {
    const std::vector<AlgorithmInfo>& all = algorithm_catalog();
    const auto takes_it = [&](const AlgorithmInfo& info) { return takes(info, grid.parameter); };
    if (std::ranges::any_of(all, takes_it)) continue;
    std::set<std::string> known;
    for (const AlgorithmInfo& info : all) {
      const bool is_here = std::ranges::any_of(entries, [&](const Json& entry) {
        return entry.is_object() && entry.value("name", Json()) == info.name;
      });
      for (const FieldInfo& field : info.parameters) {
        if (is_here) known.insert(field.name);
      }
    }
    std::vector<std::string> keys = TuneSpec::own_keys();
    keys.insert(keys.end(), known.begin(), known.end());
    throw InputError(grid.place, "unknown key" + did_you_mean(grid.parameter, keys) +
                                     ", known here: " + listed(keys));
  }
}

void check_each_is_tuned(const TuneSpec& tune, const std::vector<RunPlan>& plans,
                         const Json& defaults) {
  std::set<std::string> known;
  std::set<std::string> used;
  for (const RunPlan& plan : plans) {
    const AlgorithmInfo& info = find_algorithm(plan.algorithm, plan.place);
    for (const FieldInfo& field : info.parameters) known.insert(field.name);
    for (const TuneGrid& grid : plan.grids) used.insert(grid.place.pointer);
  }
  for (const WrittenGrid& grid : tune.grids) {
    const auto goes_without = [&](const RunPlan& plan) {
      const bool has_grid = std::ranges::any_of(
          plan.grids, [&](const TuneGrid& its) { return its.parameter == grid.parameter; });
      return !has_grid && takes(find_algorithm(plan.algorithm, plan.place), grid.parameter);
    };
    if (defaults.contains(grid.parameter) && std::ranges::none_of(plans, goes_without)) {
      throw InputError(
          Place{grid.place.file, ""} / "defaults" / grid.parameter,
          "has no effect, since " + grid.place.pointer + " tunes it: remove one of them");
    }
    if (used.contains(grid.place.pointer)) continue;
    if (known.contains(grid.parameter)) {
      throw InputError(grid.place,
                       "tunes no algorithm: every algorithm that takes it has a value of its own");
    }
    std::vector<std::string> takers;
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      if (takes(info, grid.parameter)) takers.push_back(info.name);
    }
    throw InputError(grid.place, "is a parameter of no algorithm here, only of " + listed(takers));
  }
}

}  // namespace motley
