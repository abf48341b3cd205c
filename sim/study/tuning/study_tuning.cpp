// The part of Study that finds out the parameters which are tuned.
#include <algorithm>
#include <set>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/study/expected_cost.hpp"
#include "sim/study/study.hpp"

namespace motley {
namespace {

constexpr std::size_t most_values = 1000;

/// Every value by itself, with the first ones of the others; or only the ends of each grid, at
/// points beyond the first: a thousand values at thousands of points would take minutes.
void check_values(const Experiment& experiment, std::size_t algorithm, bool only_ends) {
  const std::vector<TuneGrid>& grids = experiment.runs()[algorithm].grids;
  Json first = Json::object();
  for (const TuneGrid& grid : grids) {
    if (grid.list.values.size() > most_values) {
      throw InputError(grid.place, "must have at most " + std::to_string(most_values) + " values");
    }
    first[grid.parameter] = grid.list.values.front();
  }
  for (const TuneGrid& grid : grids) {
    for (const Json& value : grid.list.values) {
      if (only_ends && &value != &grid.list.values.front() && &value != &grid.list.values.back())
        continue;
      Json values = first;
      values[grid.parameter] = value;
      try {
        experiment.with_values(algorithm, values);
      } catch (const InputError& e) {
        throw InputError(std::string(e.what()) + " (a value of " + grid.place.pointer + ")");
      }
    }
  }
}

/// Whether a number is the least or the greatest that the parameter may be.
bool is_limit(const FieldInfo& field, const Json& value) {
  if (!value.is_number()) return false;
  const double number = value.get<double>();
  return (number == field.minimum && !field.above_minimum) ||
         (number == field.maximum && !field.below_maximum);
}

}  // namespace

std::optional<std::size_t> Study::unit_for(const Experiment& experiment, std::size_t algorithm,
                                           std::size_t point) {
  const RunPlan& plan = experiment.runs()[algorithm];
  if (plan.grids.empty()) return std::nullopt;
  check_values(experiment, algorithm, point > 0);
  const TuneSpec tune = experiment.scenario().tune.value_or(TuneSpec());
  TuningUnit unit;
  unit.label = plan.label;
  unit.point = point;
  unit.algorithm = algorithm;
  for (const TuneGrid& grid : plan.grids) {
    unit.parameters.push_back(grid.parameter);
    unit.choice.grids.push_back(grid.list);
  }
  if (tune.at == TuneSpec::At::first_point && point > 0) {
    const auto first = std::find_if(units_.begin(), units_.end(), [&](const TuningUnit& other) {
      return other.label == unit.label && other.parameters == unit.parameters;
    });
    if (first != units_.end()) return static_cast<std::size_t>(first - units_.begin());
    throw InputError(Place{file_, ""} / "tune" / "at",
                     "first_point needs the same algorithms with the same tuned parameters at "
                     "every point: " +
                         plan.label + " is tuned at a later point only");
  }
  unit.choice.budget = tune.runs;
  if (const std::optional<TargetSpec>& target = experiment.scenario().target) {
    unit.choice.goal = target->accuracy ? TuningGoal::accuracy_target : TuningGoal::loss_target;
  }
  unit.choice.candidates =
      first_candidates(unit.choice.grids, tune.runs, experiment.scenario().seed);
  unit.cost = expected_cost(experiment, plan);
  Json grids = Json::array();
  for (const ValueList& grid : unit.choice.grids) {
    grids.push_back({static_cast<int>(grid.scale), grid.values});
  }
  unit.identity = digest(Json::array({experiment.description_of(plan), unit.parameters, grids,
                                      tune.runs, unit.choice.candidates})
                             .dump());
  for (const std::vector<Json>& values : unit.choice.candidates) {
    experiment.with_values(algorithm, unit.with_names(values));  // only to see that it can be done
  }
  const auto [same, is_new] = unit_by_identity_.try_emplace(unit.identity, units_.size());
  if (!is_new) return same->second;
  units_.push_back(std::move(unit));
  table_.tuning.emplace_back();
  record(units_.size() - 1);
  return units_.size() - 1;
}

void Study::check_tuning_seeds() const {
  std::set<std::uint64_t> reported;
  for (const RunEntry& run : table_.runs) reported.insert(run.seed);
  for (std::size_t run = 0; run < size(); ++run) {
    if (!unit_of(run) || table_.runs[run].replica > 0) continue;
    const std::uint64_t first = table_.runs[run].seed + first_tuning_seed;
    const std::size_t budget = units_[*unit_of(run)].choice.budget;
    check_room_for_seeds(table_.runs[run].seed, first_tuning_seed + budget - 1);
    const auto taken = reported.lower_bound(first);
    if (taken == reported.end() || *taken >= first + budget) continue;
    throw InputError(Place{file_, ""} / "sweep",
                     "has a seed that tuning at another point needs, which must not be reported: "
                     "choose seeds that are less than " +
                         std::to_string(first_tuning_seed) + " apart",
                     *taken);
  }
}

std::size_t Study::trial(std::size_t unit_index, const std::vector<Json>& values, std::size_t k) {
  TuningUnit& unit = units_[unit_index];
  const Json named = unit.with_names(values);
  const auto [known, is_new] =
      unit.trials.try_emplace(named.dump() + " " + std::to_string(k), size() + tuning_runs_.size());
  if (!is_new) return known->second;
  const std::uint64_t replica = first_tuning_seed + k;
  const Experiment& experiment = loaded(unit.point, replica);
  RunEntry entry;
  entry.name = unit.label + "-tune" + std::to_string(k);
  for (std::size_t i = 0; i < values.size(); ++i) {
    entry.name += "-" + unit.parameters[i] + "=" + shown_value(values[i]);
  }
  entry.name = as_file_name(entry.name + point_names_[unit.point]);
  entry.hash =
      digest(experiment.description_of(experiment.with_values(unit.algorithm, named)).dump());
  entry.label = unit.label;
  entry.replica = replica;
  entry.seed = experiment.scenario().seed;
  entry.point = points_[unit.point];
  tuning_runs_.push_back(std::move(entry));
  places_.push_back({unit.point, replica, unit.algorithm, unit.cost, unit_index, named});
  return known->second;
}

std::vector<std::size_t> Study::advance(std::size_t unit_index, const Results& results) {
  TuningUnit& unit = units_[unit_index];
  if (unit.state.chosen) return {};
  TuningChoice choice = unit.choice;
  choice.is_allowed = [&](const std::vector<Json>& values) {
    try {
      loaded(unit.point, 0).with_values(unit.algorithm, unit.with_names(values));
      return true;
    } catch (const InputError&) {
      return false;
    }
  };
  const Place nowhere;
  const AlgorithmInfo& info =
      find_algorithm(loaded(unit.point, 0).runs()[unit.algorithm].algorithm, nowhere);
  choice.is_limit = [&](std::size_t grid, const Json& value) {
    return std::any_of(info.parameters.begin(), info.parameters.end(), [&](const FieldInfo& field) {
      return field.name == unit.parameters[grid] && is_limit(field, value);
    });
  };
  unit.state = successive_halving(choice, [&](const std::vector<Json>& values, std::size_t k) {
    return results(entry(trial(unit_index, values, k)).hash);
  });
  record(unit_index);
  if (unit.state.chosen) {
    settle(unit_index, unit.with_names(unit.state.candidates[*unit.state.chosen].values));
  }
  std::vector<std::size_t> missing;
  for (const TuningState::Trial& next : unit.state.missing) {
    missing.push_back(trial(unit_index, unit.state.candidates[next.candidate].values, next.seed));
  }
  return missing;
}

void Study::record(std::size_t unit_index) {
  const TuningUnit& unit = units_[unit_index];
  TuningRecord& known = table_.tuning[unit_index];
  known = {.label = unit.label,
           .point = points_[unit.point],
           .parameters = unit.parameters,
           .identity = unit.identity,
           .candidates = {},
           .grid = static_cast<std::size_t>(product_size(unit.choice.grids)),
           .tried = unit.choice.candidates.size()};
  for (const TuningCandidate& candidate : unit.state.candidates) {
    CandidateRecord row{unit.with_names(candidate.values), candidate.rung, {}};
    for (std::size_t k = 0; k < candidate.seeds; ++k) {
      row.hashes.push_back(entry(trial(unit_index, candidate.values, k)).hash);
    }
    known.candidates.push_back(std::move(row));
  }
  if (unit.state.chosen) known.chosen = static_cast<std::int64_t>(*unit.state.chosen);
  known.at_edge = unit.state.at_edge;
}

void Study::settle(std::size_t unit, const Json& values) {
  for (const std::size_t run : units_[unit].reported) {
    places_[run].values = values;
    table_.runs[run].hash = digest(description(run).dump());
  }
}

}  // namespace motley
