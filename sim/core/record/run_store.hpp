#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/core/json.hpp"
#include "sim/core/record/run_result.hpp"

namespace motley {

/// One run of a plan, as far as the results need to know it.
struct RunEntry {
  std::string name;   ///< unique among the plan's runs, for people
  std::string hash;   ///< of everything that decides the result: names the file
  std::string label;  ///< of the algorithm
  std::uint64_t replica = 0;
  std::uint64_t seed = 0;
  std::vector<Json> point;  ///< the values of the sweep's axes
};

/// The plan of a results folder, plan.json: what its rows are, in their order.
struct RunTable {
  std::vector<std::string> axes;  ///< JSON pointers
  std::string baseline;           ///< label of the algorithm that speed-ups are measured by
  std::vector<RunEntry> runs;
};
Json to_json(const RunTable& table);
RunTable run_table_from_json(const Json& json);

/// The files runs/<hash>.json of a results folder, one a finished run, each with the program that
/// made it, all that decided its result, and the result.
class RunStore {
 public:
  struct StoredRun {
    Json program;
    Json description;
    RunResult result;
  };

  explicit RunStore(const std::filesystem::path& results);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const std::string& hash) const;
  /// Empty when there is no such file, or it is not one of ours.
  std::optional<StoredRun> load(const std::string& hash) const;
  void save(const std::string& hash, const StoredRun& run) const;
  void remove_all() const;
  void remove(const std::string& hash) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace motley
