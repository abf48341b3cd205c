#pragma once

#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/run_store.hpp"
#include "sim/results/statistics/comparison.hpp"

/// What changed from one results folder to another.
namespace motley {

/// A results folder, as far as it is compared.
struct ComparedFolder {
  std::string name;
  Json scenario;
  Json provenance;
  RunTable table;
  std::vector<RunResult> rows;  ///< finished runs, with their names
};
/// InputError when it holds no results.
ComparedFolder read_compared(const std::string& folder);

/// A value that is not the same in both; null where it is not there.
struct ChangedValue {
  std::string pointer;
  Json a;
  Json b;
};
/// In the order of their places: what is in both, then what is only in b.
std::vector<ChangedValue> changes_between(const Json& a, const Json& b);

/// One algorithm at one point that both folders have.
struct ComparedResult {
  std::string algorithm;
  std::string point;                ///< in words; empty without a sweep
  std::vector<RunResult> runs;      ///< of both: what the rows point to
  std::vector<ComparisonRow> rows;  ///< of a, then of b
  PairedRatio b_against_a;          ///< above 1: b reaches the target sooner
  std::size_t same_runs = 0;        ///< the same to the last bit
  std::size_t pairs = 0;            ///< of runs of the same replica
};

/// All of them, decided together.
struct ResultsDiff {
  std::vector<ChangedValue> scenario;
  std::vector<ChangedValue> program;
  std::vector<ComparedResult> results;
  std::vector<std::string> only_in_a;  ///< names of runs
  std::vector<std::string> only_in_b;
  bool same_seeds = true;

  bool same_results() const;
};
ResultsDiff diff_of(const ComparedFolder& a, const ComparedFolder& b);

}  // namespace motley
