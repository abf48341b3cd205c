#include "sim/cli/results_kind.hpp"

#include "sim/base/place.hpp"
#include "sim/results/run_store.hpp"

namespace fs = std::filesystem;

namespace motley {

ResultsKind kind_of_results(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "plan.json", error)) return ResultsKind::unknown;
  const RunStore store(folder);
  for (const RunEntry& entry : read_run_table(folder / "plan.json").runs) {
    if (entry.hash.empty()) continue;
    const RunStore::Found found = store.load(entry.hash);
    if (found.run) {
      return found.run->description.contains("live") ? ResultsKind::live : ResultsKind::simulated;
    }
  }
  return ResultsKind::unknown;
}

void refuse_other_kind(const fs::path& folder, ResultsKind wanted) {
  ResultsKind kind = ResultsKind::unknown;
  try {
    kind = kind_of_results(folder);
  } catch (
      const InputError&) {  // a plan that is damaged is made anew, or told of, by who opens the folder
  }
  if (kind == ResultsKind::unknown || kind == wanted) return;
  throw InputError(
      "--out: " + folder.string() + " holds results of " +
      (kind == ResultsKind::live ? "live runs (motley live)" : "a simulation (motley run)") +
      ", whose tables would be lost: name another folder");
}

}  // namespace motley
