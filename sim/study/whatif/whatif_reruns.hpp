#pragma once

#include <functional>
#include <vector>

#include "sim/results/tables/whatif_table.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// A row of whatif.csv, and what its throughput is found by.
struct PlannedRerun {
  std::size_t row;
  std::size_t run;  // whose experiment it is
  std::function<Throughput(const Experiment&)> rerun;
};

/// Fills in the throughputs of the rows, or why there is none: so many reruns at once, each in a process of
/// its own. `timed` is told now and then how many are done, and at the end. False when interrupted.
bool do_reruns(const Study& study, const std::vector<PlannedRerun>& planned,
               std::vector<WhatIf>& rows, unsigned jobs,
               const std::function<void(std::size_t done)>& timed,
               const std::function<bool()>& should_interrupt);

}  // namespace motley
