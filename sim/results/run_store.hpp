#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/json.hpp"
#include "sim/results/run_result.hpp"
#include "sim/results/tuning_record.hpp"

namespace motley {

/// One run of a plan, as far as the results need to know it.
struct RunEntry {
  std::string name;   ///< unique among the plan's runs, for people
  std::string hash;   ///< of everything that decides the result: names the file; empty while not
                      ///< all of that is known, because its parameters are being tuned
  std::string label;  ///< of the algorithm
  std::uint64_t replica = 0;
  std::uint64_t seed = 0;
  std::vector<Json> point;   ///< the values of the sweep's axes
  std::size_t tuned_by = 0;  ///< of a tuned run: which record of the tuning
  /// Of a tuned run: what it has instead of a hash until it has one.
  std::string before_tuning = {};

  /// Tells it from other runs, whether its parameters are chosen or not.
  const std::string& identity() const { return before_tuning.empty() ? hash : before_tuning; }
};

/// The plan of a results folder, plan.json: what its rows are, in their order.
struct RunTable {
  std::vector<std::string> axes;  ///< JSON pointers
  std::string baseline;           ///< label of the algorithm that speed-ups are measured by
  std::vector<RunEntry> runs;
  std::vector<TuningRecord> tuning;  ///< empty when nothing is tuned

  /// Whether both are plans of the same runs, however much of their tuning is known.
  bool is_same_plan(const RunTable& other) const;
  /// Takes over what another table of the same plan knows of its tuning.
  void learn_from(const RunTable& other);
  /// Of all its runs and those of its tuning that are known, each once.
  std::vector<std::string> hashes() const;
};
/// With a checksum: what plan.json holds.
Json to_json(const RunTable& table);
/// InputError when the file is not a plan as to_json() makes it.
RunTable read_run_table(const std::filesystem::path& file);

/// The files runs/<hash>.json of a results folder, one a finished run, each with the program that
/// made it, all that decided its result, the result, and a checksum of these.
class RunStore {
 public:
  struct StoredRun {
    Json program;
    Json description;  ///< the file is named by its digest
    RunResult result;
  };

  /// What there is under a hash.
  struct Found {
    std::optional<StoredRun> run;  ///< empty when there is nothing, or nothing that can be trusted
    std::string damage;            ///< "file: why" when there is something that cannot be trusted
    Json program;                  ///< that made it; null when that is not known
  };

  explicit RunStore(const std::filesystem::path& results);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const std::string& hash) const;
  /// Trusts only what save() has written for this hash. InputError when the file
  /// cannot be read, or a folder is in its place: what is in it is not known, so it is left alone.
  Found load(const std::string& hash) const;
  void save(const std::string& hash, const StoredRun& run) const;
  void remove_all() const;
  void remove(const std::string& hash) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace motley
