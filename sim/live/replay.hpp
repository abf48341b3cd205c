#pragma once

#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/live/ending.hpp"
#include "sim/live/run_log.hpp"

namespace motley {

/// What a live run comes to: the notes of all ranks, put in order by their clocks, are told to the same
/// recorder as those of a simulation, and the models that were kept are evaluated now. The run ends where
/// the stop rule says, though it may have gone on for a moment.
///
/// `logs`: by rank; those of ranks that were lost are empty. `end_s`: when the run was over.
RunResult replay(const SimulationSetup& setup, const Algorithm& algorithm,
                 const std::vector<RunLog>& logs, const Ending& ending, double end_s);

}  // namespace motley
