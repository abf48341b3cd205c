#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/results/tables/limits_table.hpp"
#include "sim/study/experiment.hpp"

namespace motley {

/// The table at the end: one row per algorithm and point of the sweep, whose axes are named, sorted
/// by time to target within a point; of a sweep with more rows than a screenful only who is first at
/// each point. Without a sweep also one line per algorithm that says where
/// its time went, and the limits of the cluster if they are given.
void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<std::string>& axes, const std::vector<RunResult>& results,
                   const std::vector<LimitRow>& limits = {});

}  // namespace motley
