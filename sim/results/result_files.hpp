#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/run_result.hpp"

namespace motley {

/// The files of the results folder that are there to be read. At any moment each is complete;
/// doubles are printed so that reading them back gives the same bits.
class ResultFiles {
 public:
  /// Makes the folder; InputError when it cannot be made or written.
  explicit ResultFiles(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  void write_json(const std::string& name, const Json& json) const;
  /// The files of run_tables.hpp, of the runs so far, in the order given. `axes` are the pointers
  /// that the values of RunResult::point belong to.
  void write_csvs(const std::vector<std::string>& axes,
                  const std::vector<RunResult>& results) const;
  /// summary.csv, comparisons.csv and bands.csv: what the runs so far say together.
  void write_statistics(const std::vector<std::string>& axes, const std::string& baseline,
                        const std::vector<RunResult>& results) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace motley
