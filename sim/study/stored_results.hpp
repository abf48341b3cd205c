#pragma once

#include <filesystem>
#include <map>

#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// The finished runs of a results folder, looked at without touching the folder.
class StoredResults {
 public:
  explicit StoredResults(const std::filesystem::path& folder) : store_(folder) {}

  const RunStore& store() const { return store_; }
  /// nullptr unless it is finished, by this version of the program, and did not fail.
  const RunResult* result(const std::string& hash);
  Study::Results lookup() {
    return [this](const std::string& hash) { return result(hash); };
  }

 private:
  RunStore store_;
  std::map<std::string, RunResult> results_;
};

}  // namespace motley
