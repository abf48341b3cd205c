#pragma once

#include <cstdint>
#include <optional>

#include "sim/live/run_live.hpp"

namespace motley {

/// How long it takes the workers to average their models by a ring all-reduce, tried with messages of these bytes in all
/// and nothing else under way: the time of this rank, 0 of those that are no workers. Every rank calls it. Nothing when
/// the job is interrupted or a rank is silent meanwhile, which the run that follows finds out, too.
std::optional<double> time_average(LiveRanks& ranks, std::size_t workers, std::uint64_t bytes);

}  // namespace motley
