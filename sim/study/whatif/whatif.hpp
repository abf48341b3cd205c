#pragma once

#include <cstdint>
#include <functional>

#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"
#include "sim/study/whatif/timing_rerun.hpp"

/// Why a run took the time it took, by asking the simulator: its steps are timed again with one
/// thing of the cluster changed at a time.
namespace motley {

/// Whether so many updates of a run are mostly its start: fewer than 20 gradients per worker.
bool are_few(std::uint64_t updates, const RunResult& result);

/// How many updates of a run are timed: all, or the first of a long one; the fewer, the more runs
/// there are. A run of few gradients is timed on beyond its end, unless it ended in its warm-up.
/// `parameters` are those of its algorithm.
std::uint64_t updates_to_time(const RunResult& result, const Json& parameters, std::size_t runs);

/// Whether only the first point of a sweep is asked about: there are more algorithms times points
/// than this.
constexpr std::size_t most_whatif_runs = 200;
bool asks_first_point_only(const Study& study);

/// What is told while runs are timed again, and what may end it.
struct WhatIfEvents {
  std::function<void(std::size_t runs)> begins;  ///< before anything is timed
  std::function<void(std::size_t done, std::size_t total)> timed;
  std::function<bool()> should_interrupt;
};

/// Makes whatif.csv in the folder of a finished study, or leaves it when it is of these very runs:
/// of every algorithm at every point the first replica, so many reruns at once. Returns false when
/// interrupted, and then writes nothing.
bool update_whatif(const Study& study, const ResultsFolder& folder, unsigned jobs,
                   const WhatIfEvents& events);

/// Removes whatif.csv unless it is of these very runs and as it was written. Says what has become of
/// it when only the latter fails: "FOLDER/whatif.csv: ..."; empty otherwise.
std::string remove_outdated_whatif(const Study& study, const ResultsFolder& folder);

}  // namespace motley
