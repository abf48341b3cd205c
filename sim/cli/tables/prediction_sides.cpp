// Whether two folders can be held against each other, and what of them cannot.

#include <algorithm>
#include <map>

#include "sim/base/json_file.hpp"
#include "sim/base/place.hpp"
#include "sim/base/text.hpp"
#include "sim/cli/results_kind.hpp"
#include "sim/cli/tables/prediction.hpp"
#include "sim/cli/tables/results_diff.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/run_status.hpp"
#include "sim/results/run_store.hpp"

namespace fs = std::filesystem;

namespace motley {
namespace {

/// By algorithm: how many runs there are, and how many of them can be used.
struct UseOfRuns {
  std::size_t runs = 0;
  std::size_t failed = 0;
  std::size_t without_updates = 0;
  bool is_used() const { return failed + without_updates < runs; }
};

std::map<std::string, UseOfRuns> use_of_runs(const fs::path& folder) {
  const CsvTable table(folder / "runs.csv");
  std::map<std::string, UseOfRuns> uses;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    UseOfRuns& use = uses[table.text(i, "algorithm")];
    ++use.runs;
    if (run_status_of(table.text(i, "status")) == RunStatus::failed)
      ++use.failed;
    else if (table.number(i, "updates").value_or(0) == 0)
      ++use.without_updates;
  }
  return uses;
}

std::string of_all(std::size_t count, std::size_t all) {
  return all == 1 ? "" : " in " + std::to_string(count) + " of " + std::to_string(all) + " runs";
}

}  // namespace

std::vector<std::string> left_out_of(const fs::path& simulated, const fs::path& live) {
  const std::map<std::string, UseOfRuns> predicted = use_of_runs(simulated);
  const std::map<std::string, UseOfRuns> measured = use_of_runs(live);
  std::vector<std::string> lines;
  const auto tell = [&](const fs::path& folder, const std::map<std::string, UseOfRuns>& uses,
                        const std::map<std::string, UseOfRuns>& others) {
    for (const auto& [label, use] : uses) {
      if (!others.contains(label)) {
        lines.push_back(label + " is only in " + folder.string());
        continue;
      }
      if (use.failed > 0) {
        lines.push_back(label + " failed" + of_all(use.failed, use.runs) + ", in " +
                        folder.string());
      }
      if (use.without_updates > 0) {
        lines.push_back(label + " made no update" + of_all(use.without_updates, use.runs) +
                        ", in " + folder.string());
      }
    }
  };
  tell(simulated, predicted, measured);
  tell(live, measured, predicted);
  return lines;
}

void check_sides(const fs::path& simulated, const fs::path& live) {
  const ResultsKind first = kind_of_results(simulated);
  const ResultsKind second = kind_of_results(live);
  if (first == ResultsKind::live && second == ResultsKind::simulated) {
    throw InputError("compare: the simulation comes first: motley compare " + live.string() + " " +
                     simulated.string());
  }
  if (first == ResultsKind::live) {
    throw InputError(
        "compare: " + simulated.string() +
        " is of a live run, and the first folder is to be of a simulation (motley run)");
  }
  if (second == ResultsKind::simulated) {
    throw InputError("compare: " + live.string() +
                     " is of a simulation, and the second folder is to be of a live run (motley "
                     "live); motley diff compares two simulations");
  }
  if (first == ResultsKind::simulated && !read_run_table(simulated / "plan.json").axes.empty()) {
    throw InputError(
        "compare: " + simulated.string() +
        " is of a sweep, and a live run has one cluster: simulate the scenario without /sweep");
  }
}

bool have_target(const fs::path& simulated, const fs::path& live) {
  std::error_code error;
  for (const fs::path& folder : {simulated, live}) {
    if (!fs::exists(folder / "scenario.json", error)) return true;
    if (parse_json_file((folder / "scenario.json").string()).contains("target")) return true;
  }
  return false;
}

std::vector<std::string> scenario_differences(const fs::path& simulated, const fs::path& live) {
  std::error_code error;
  for (const fs::path& folder : {simulated, live}) {
    if (!fs::exists(folder / "scenario.json", error)) return {};
  }
  std::vector<std::string> lines;
  for (const ChangedValue& change :
       changes_between(parse_json_file((simulated / "scenario.json").string()),
                       parse_json_file((live / "scenario.json").string()))) {
    if (change.pointer == "/replicas") continue;  // of which each side has as many as it can
    const auto shown = [](const Json& value) {
      constexpr std::size_t longest = 60;
      if (value.is_null()) return std::string("(not there)");
      return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), longest);
    };
    lines.push_back(change.pointer + ": " + shown(change.a) + ", " + shown(change.b));
  }
  return lines;
}

}  // namespace motley
