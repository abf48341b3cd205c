#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/folder_lock.hpp"
#include "sim/base/json.hpp"
#include "sim/results/result_files.hpp"
#include "sim/results/run_store.hpp"

namespace motley {

/// What a process writes about a plan beside the runs themselves.
struct StudyFiles {
  RunTable table;
  Json scenario;
  Json provenance;
};

/// Which finished runs are removed when a folder is opened.
struct Fresh {
  bool all = false;
  std::vector<std::string> hashes;  ///< of single runs
};

/// What became of a stored run that this program cannot use as it is.
enum class Use { as_it_is, do_again, refuse };
/// Runs of another version of their algorithm are done again; those of another version of what
/// decides all results are not touched, whatever else is wrong with them.
Use use_of(const RunStore::Found& found);
/// The name of the algorithm of a stored run.
std::string algorithm_of(const RunStore::StoredRun& run);
/// Why a run is refused, and what to do instead.
InputError refusal(const std::filesystem::path& file, const Json& program,
                   const std::string& instead);

/// The same folder; InputError when it is somebody else's: nothing is to be written there.
const std::filesystem::path& ours_or_empty(const std::filesystem::path& folder);

/// A results folder in which this process, and perhaps others, do the runs of one plan. A finished
/// run is a file of its own, safe from then on; the CSV files are made from these.
class ResultsFolder {
 public:
  /// Makes the folder and writes scenario.json, plan.json and provenance.json. InputError when it
  /// holds runs of this plan by another version of the program, or when another process works there
  /// on something else. Removes first what is to be made afresh.
  ResultsFolder(const std::filesystem::path& folder, const StudyFiles& study, const Fresh& fresh);

  const std::filesystem::path& path() const { return files_.folder(); }
  /// More is known of the plan: parameters that were tuned, and so the hashes of their runs.
  void set_plan(const RunTable& table) { table_ = table; }
  /// Reads what other processes have finished since.
  void refresh();
  /// The result of the run with this hash; nullptr while it is not finished.
  const RunResult* result(const std::string& hash) const;
  /// The same, looked for in the folder if need be.
  const RunResult* find(const std::string& hash);
  /// Whether there is nothing left to do for it: a run that failed is tried again.
  bool is_done(const std::string& hash) const;
  /// How many of these runs are finished and safe on the disk at this moment.
  std::size_t kept(const std::vector<std::string>& hashes) const;
  /// "file: why" of each file of a run that could not be trusted and counts as missing; once each.
  std::vector<std::string> take_complaints();
  /// How many stored runs were made by another version of their algorithm and count as missing, by
  /// algorithm; once each.
  std::map<std::string, std::size_t> take_outdated();
  /// All finished runs as rows, in the order of the plan.
  std::vector<RunResult> rows() const;

  enum class Claim { ours, elsewhere, done };
  /// Whether this process may do the run, if it is not done or is to be done `again`. It is ours
  /// until it is stored.
  Claim claim(const std::string& hash, bool again);
  /// Gives the run up, though it is not done.
  void give_back(const std::string& hash) { lock_.release(hash); }
  /// Keeps a finished run and returns true; or returns false, and keeps the better one that is
  /// stored: an ok run is replaced by an ok one only, none by one that failed. Throws WriteError
  /// when it cannot be written.
  bool store(const std::string& hash, const Json& description, const RunResult& result);
  bool store(const std::string& hash, const RunStore::StoredRun& run);

  /// Makes the CSV files anew.
  void write_csvs();

 private:
  /// Says so when no run of a finished tuning learnt anything; empty otherwise.
  std::string why_in_vain(const TuningRecord& choice) const;
  void open(const StudyFiles& study, const Fresh& fresh);
  void write_tables() const;
  /// Adds what others have found out of the tuning, and writes plan.json when it has changed.
  void write_plan();
  /// The stored run that can be used, if there is one; what cannot be trusted is complained of.
  std::optional<RunStore::StoredRun> load(const std::string& hash);
  void find_stored(const std::string& hash);

  ResultFiles files_;
  RunTable table_;
  RunStore store_;
  FolderLock lock_;
  Json written_plan_;
  std::map<std::string, RunResult> results_;               // by hash
  std::map<std::string, bool> complaints_;                 // and whether they have been told
  std::map<std::string, std::set<std::string>> outdated_;  // hashes by algorithm, not yet told
};

}  // namespace motley
