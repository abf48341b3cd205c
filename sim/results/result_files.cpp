#include "sim/results/result_files.hpp"

#include <system_error>

#include "sim/base/atomic_file.hpp"
#include "sim/base/json.hpp"
#include "sim/results/statistics/bands.hpp"
#include "sim/results/statistics/comparisons_file.hpp"
#include "sim/results/statistics/summary_file.hpp"
#include "sim/results/tables/run_tables.hpp"

namespace motley {
ResultFiles::ResultFiles(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string() + ": the output folder cannot be made: " + error.message() +
                     " (choose another with --out)");
  }
  if (const std::error_code why = trial_of_writing(folder)) {
    if (why == std::errc::no_space_on_device)
      throw WriteError(folder.string() + ": " + why.message());
    throw InputError(folder.string() + ": the output folder cannot be written: " + why.message() +
                     " (choose another with --out)");
  }
}

void ResultFiles::write_json(const std::string& name, const Json& json) const {
  write_atomically(folder_ / name, json.dump(2) + "\n");
}

void ResultFiles::write_csvs(const std::vector<std::string>& axes,
                             const std::vector<RunResult>& results) const {
  const Extras extras = extras_of(results);
  std::string runs = runs_table().header(axes, extras);
  std::string curves = curves_table().header({}, extras);
  std::string workers = workers_table().header({}, extras);
  std::string staleness = staleness_table().header();
  std::string links = links_table().header({}, extras);
  std::string decisions = decisions_table().header();
  std::string warnings = warnings_table().header();
  for (const RunResult& r : results) {
    runs += runs_table().line(r, extras);
    for (const CurvePoint& p : r.curve) curves += curves_table().line({r, p}, extras);
    for (const WorkerResult& w : r.workers) workers += workers_table().line({r, w}, extras);
    for (const StalenessCount& s : r.staleness) staleness += staleness_table().line({r, s});
    for (const LinkUse& l : link_uses(r)) links += links_table().line({r, l}, extras);
    for (const Decision& d : r.decisions) decisions += decisions_table().line({r, d});
    for (const RunWarning& w : r.warnings) warnings += warnings_table().line({r, w});
  }
  replace_atomically(folder_ / "staleness.csv", staleness);
  replace_atomically(folder_ / "links.csv", links);
  replace_atomically(folder_ / "decisions.csv", decisions);
  replace_atomically(folder_ / "warnings.csv", warnings);
  replace_atomically(folder_ / "curves.csv", curves);
  replace_atomically(folder_ / "workers.csv", workers);
  // Last: who sees a run here finds its curve and workers, too.
  replace_atomically(folder_ / "runs.csv", runs);
}

void ResultFiles::write_statistics(const std::vector<std::string>& axes,
                                   const std::string& baseline,
                                   const std::vector<RunResult>& results) const {
  const std::vector<ComparisonRow> rows = compare(results, baseline);
  replace_atomically(folder_ / "summary.csv", summary_csv(axes, rows, extras_of(results)));
  replace_atomically(folder_ / "comparisons.csv", comparisons_csv(axes, rows));
  replace_atomically(folder_ / "bands.csv", bands_csv(axes, rows));
}

}  // namespace motley
