#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/core/json.hpp"
#include "sim/core/record/folder_lock.hpp"
#include "sim/core/record/result_files.hpp"
#include "sim/core/record/run_store.hpp"

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

/// A results folder in which this process, and perhaps others, do the runs of one plan. A finished
/// run is a file of its own, safe from then on; the CSV files are made from these.
class ResultsFolder {
 public:
  /// Makes the folder and writes scenario.json, plan.json and provenance.json. InputError when it
  /// holds runs of this plan by another version of the program, or when another process works there
  /// on something else. Removes first what is to be made afresh.
  ResultsFolder(const std::filesystem::path& folder, const StudyFiles& study, const Fresh& fresh);

  const std::filesystem::path& path() const { return files_.folder(); }
  /// Reads what other processes have finished since.
  void refresh();
  /// The result of the run with this hash; nullptr while it is not finished.
  const RunResult* result(const std::string& hash) const;
  /// Whether there is nothing left to do for it: a run that failed is tried again.
  bool is_done(const std::string& hash) const;
  /// All finished runs as rows, in the order of the plan.
  std::vector<RunResult> rows() const;

  enum class Claim { ours, elsewhere, done };
  /// Whether this process may do the run, if it is not done or is to be done `again`. Ours it is
  /// until it is stored.
  Claim claim(const std::string& hash, bool again);
  /// Keeps a finished run. Throws WriteError when it cannot.
  void store(const std::string& hash, const Json& description, const RunResult& result);
  void store(const std::string& hash, const RunStore::StoredRun& run);

  /// Makes the CSV files anew.
  void write_csvs();

 private:
  void open(const StudyFiles& study, const Fresh& fresh);
  void write_tables() const;
  void remember(const std::string& hash, const RunStore::StoredRun& run);

  ResultFiles files_;
  RunTable table_;
  RunStore store_;
  FolderLock lock_;
  std::map<std::string, RunResult> results_;  // by hash
};

}  // namespace motley
