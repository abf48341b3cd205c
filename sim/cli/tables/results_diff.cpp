#include "sim/cli/tables/results_diff.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "sim/base/json_file.hpp"
#include "sim/base/place.hpp"
#include "sim/results/tables/column_table.hpp"

namespace motley {
namespace {

constexpr const char* side_a = "a";
constexpr const char* side_b = "b";

void collect(const Json& a, const Json& b, const Place& place, std::vector<ChangedValue>& changes) {
  if (a == b) return;
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      collect(value, b.contains(key) ? b[key] : Json(), place / key, changes);
    }
    for (const auto& [key, value] : b.items()) {
      if (!a.contains(key)) collect(Json(), value, place / key, changes);
    }
    return;
  }
  const bool same_length = a.is_array() && b.is_array() && a.size() == b.size();
  const bool has_objects =
      same_length && std::ranges::any_of(a, [](const Json& each) { return each.is_object(); });
  if (has_objects) {
    for (std::size_t i = 0; i < a.size(); ++i) collect(a[i], b[i], place / i, changes);
    return;
  }
  changes.push_back({place.pointer, a, b});
}

std::string point_in_words(const std::vector<std::string>& axes, const std::vector<Json>& point) {
  std::string text;
  for (std::size_t i = 0; i < axes.size() && i < point.size(); ++i) {
    text += (text.empty() ? "" : " ") + axes[i] + "=" + axis_cell(point[i]);
  }
  return text;
}

/// Without what depends on the machine's load.
Json what_came_out(const RunResult& run) {
  Json json = to_json(run);
  for (const char* key : {"wall_s", "evaluation_wall_s", "peak_rss_mb"}) json.erase(key);
  return json;
}

using Key = std::pair<std::string, std::string>;  // algorithm, point
std::map<Key, std::vector<const RunResult*>> by_key(const ComparedFolder& folder) {
  std::map<Key, std::vector<const RunResult*>> found;
  for (const RunResult& run : folder.rows) {
    found[{run.algorithm, point_in_words(folder.table.axes, run.point)}].push_back(&run);
  }
  return found;
}

ComparedResult compared(const Key& key, const std::vector<const RunResult*>& a,
                        const std::vector<const RunResult*>& b) {
  ComparedResult result;
  result.algorithm = key.first;
  result.point = key.second;
  for (const RunResult* run : a) {
    for (const RunResult* other : b) {
      if (run->replica != other->replica) continue;
      ++result.pairs;
      RunResult same = *other;
      same.run = run->run;
      if (what_came_out(*run) == what_came_out(same)) ++result.same_runs;
    }
  }
  for (const auto& [runs, side] : {std::pair(&a, side_a), std::pair(&b, side_b)}) {
    for (const RunResult* run : *runs) {
      result.runs.push_back(*run);
      result.runs.back().algorithm = side;
      result.runs.back().point.clear();  // the same in both, and the axes need not be
    }
  }
  return result;
}

}  // namespace

ComparedFolder read_compared(const std::string& folder) {
  const std::filesystem::path path = folder;
  std::error_code ignored;
  if (!std::filesystem::exists(path / "plan.json", ignored)) {
    throw InputError(folder + ": is not a results folder: it has no plan.json");
  }
  ComparedFolder result;
  result.name = folder;
  result.scenario = parse_json_file((path / "scenario.json").string());
  result.provenance = parse_json_file((path / "provenance.json").string());
  result.provenance.erase("command");  // the folders say that
  result.table = read_run_table(path / "plan.json");
  const RunStore store(path);
  for (const RunEntry& entry : result.table.runs) {
    if (entry.hash.empty()) continue;
    const RunStore::Found found = store.load(entry.hash);
    if (!found.run) continue;
    result.rows.push_back(found.run->result);
    RunResult& row = result.rows.back();
    row.run = entry.name;
    row.algorithm = entry.label;
    row.replica = entry.replica;
    row.seed = entry.seed;
    row.point = entry.point;
  }
  if (result.rows.empty()) throw InputError(folder + ": holds no finished run");
  return result;
}

std::vector<ChangedValue> changes_between(const Json& a, const Json& b) {
  std::vector<ChangedValue> changes;
  collect(a, b, {}, changes);
  return changes;
}

bool ResultsDiff::same_results() const {
  return only_in_a.empty() && only_in_b.empty() &&
         std::ranges::all_of(results, [](const ComparedResult& result) {
           return result.pairs == result.same_runs && 2 * result.pairs == result.runs.size();
         });
}

ResultsDiff diff_of(const ComparedFolder& a, const ComparedFolder& b) {
  ResultsDiff diff;
  diff.scenario = changes_between(a.scenario, b.scenario);
  diff.program = changes_between(a.provenance, b.provenance);
  const auto of_a = by_key(a);
  const auto of_b = by_key(b);
  for (const auto& [key, runs] : of_a) {
    if (of_b.contains(key)) continue;
    for (const RunResult* run : runs) diff.only_in_a.push_back(run->run);
  }
  for (const auto& [key, runs] : of_b) {
    if (of_a.contains(key)) continue;
    for (const RunResult* run : runs) diff.only_in_b.push_back(run->run);
  }
  // In the order in which a has them.
  std::set<Key> seen;
  for (const RunResult& run : a.rows) {
    const Key key = {run.algorithm, point_in_words(a.table.axes, run.point)};
    if (!seen.insert(key).second || !of_b.contains(key)) continue;
    diff.results.push_back(compared(key, of_a.at(key), of_b.at(key)));
  }
  std::vector<PairedRatio*> together;
  for (ComparedResult& result : diff.results) {
    result.rows = compare(result.runs, side_a);
    if (const PairedRatio* ratio = result.rows.back().result_against(side_a)) {
      result.b_against_a = *ratio;
      together.push_back(&result.b_against_a);
    }
    std::map<std::uint64_t, std::uint64_t> seeds;
    for (const RunResult& run : result.runs) {
      const auto [place, is_new] = seeds.try_emplace(run.replica, run.seed);
      if (!is_new && place->second != run.seed) diff.same_seeds = false;
    }
  }
  decide(together);
  return diff;
}

}  // namespace motley
