#pragma once

#include "sim/results/link_use.hpp"
#include "sim/results/run_result.hpp"
#include "sim/results/tables/column_table.hpp"

/// The CSV files that hold what single runs left behind.
namespace motley {

/// Something of a run, such as a point of its curve.
template <class Part>
struct OfRun {
  const RunResult& run;
  const Part& part;
};

/// Those that any of these runs has.
Extras extras_of(const std::vector<RunResult>& results);

const ColumnTable<RunResult>& runs_table();
const ColumnTable<OfRun<CurvePoint>>& curves_table();
const ColumnTable<OfRun<WorkerResult>>& workers_table();
const ColumnTable<OfRun<StalenessCount>>& staleness_table();
const ColumnTable<OfRun<LinkUse>>& links_table();
const ColumnTable<OfRun<Decision>>& decisions_table();
const ColumnTable<OfRun<RunWarning>>& warnings_table();

}  // namespace motley
