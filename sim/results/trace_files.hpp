#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/results/tables/column_table.hpp"
#include "sim/results/timeline.hpp"

namespace motley {

/// What --trace asks of a run.
struct TraceRequest {
  std::filesystem::path folder;       ///< where <run>.json and <run>.csv go
  std::optional<TraceWindow> window;  ///< empty: no timeline
  /// Instead of the window's own beginning and end: so much before and after the first failure.
  std::optional<double> around_failure_s;
  bool paje = false;  ///< SimGrid's own trace, <run>.paje
};

/// A timeline as Chrome's trace JSON, which Perfetto's viewer opens: one process per host, a thread for
/// each thing it does at the same time, arrows from a push to its update.
void write_perfetto(std::ostream& out, const std::string& run, const Timeline& timeline);

/// A row of events.csv.
struct TimelineEvent {
  const std::string& run;
  const std::string& host;
  const Timeline::Interval& interval;
  std::string peer;  ///< of a message
};

const ColumnTable<TimelineEvent>& events_table();

/// The same as rows of events.csv below a line that says what they show.
void write_events(std::ostream& out, const std::string& run, const Timeline& timeline);

/// Both files of a run.
void write_trace(const TraceRequest& request, const std::string& run, const Timeline& timeline);

/// Joins the events of these runs, in this order, into one file; those without are left out.
/// Returns one line per run that says what is there.
std::vector<std::string> join_events(const std::filesystem::path& traces,
                                     const std::vector<std::string>& runs,
                                     const std::filesystem::path& events_csv);

}  // namespace motley
