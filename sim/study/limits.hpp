#pragma once

#include <vector>

#include "sim/results/run_result.hpp"
#include "sim/results/tables/limits_table.hpp"
#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// Of every algorithm and point that there are results of.
std::vector<LimitRow> limits_of(const Study& study, const std::vector<RunResult>& results);

/// Makes limits.csv of these rows.
void write_limits(const Study& study, const ResultsFolder& folder,
                  const std::vector<LimitRow>& rows);

}  // namespace motley
