#pragma once

#include <vector>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/scenario/tune.hpp"

namespace motley {

struct RunPlan;

bool takes(const AlgorithmInfo& info, const std::string& parameter);

/// The grids of an algorithm: its own, and those of the scenario for parameters that it takes and
/// gives no value for. InputError when its entry in the scenario's list contradicts itself.
std::vector<TuneGrid> grids_of(const Json& entry, const AlgorithmInfo& info, const TuneSpec& tune,
                               const Place& place);

/// Refuses a key of the scenario's "tune" that no algorithm there is has as a parameter, before what it
/// should have been is missed elsewhere. `entries`: the scenario's list of algorithms.
void check_known(const TuneSpec& tune, const std::vector<Json>& entries);

/// Refuses a key of the scenario's "tune" that is no parameter here, or that nobody tunes.
void check_each_is_tuned(const TuneSpec& tune, const std::vector<RunPlan>& plans,
                         const Json& defaults);

}  // namespace motley
