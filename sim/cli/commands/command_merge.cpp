#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/base/shell_word.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/tables/tell_what_decides.hpp"
#include "sim/study/limits.hpp"
#include "sim/study/plugins.hpp"
#include "sim/study/provenance.hpp"
#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

RunTable plan_of(const std::string& folder) {
  const std::filesystem::path file = std::filesystem::path(folder) / "plan.json";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(folder + ": is not a results folder: it has no plan.json");
  }
  return read_run_table(file);
}

Json scenario_of(const std::string& folder) {
  const std::string file = (std::filesystem::path(folder) / "scenario.json").string();
  Json scenario = parse_json_file(file);
  if (!scenario.is_object()) throw InputError({file, ""}, "must be a scenario", scenario);
  return scenario;
}

/// The run from the first folder that has it, one where it did not fail if there is one.
std::optional<RunStore::StoredRun> find_run(const std::string& hash,
                                            const std::vector<std::string>& folders) {
  std::optional<RunStore::StoredRun> found;
  for (const std::string& folder : folders) {
    const RunStore store(folder);
    const RunStore::Found stored = store.load(hash);
    const Use use = use_of(stored);
    if (use == Use::refuse) {
      throw refusal(store.file_of(hash), stored.program, "merge with that version");
    }
    if (use == Use::do_again) {
      complain(store.file_of(hash).string() + ": was made by another version of " +
               algorithm_of(*stored.run) + " and is left out");
      continue;
    }
    if (!stored.damage.empty()) {
      complain(stored.damage + ": the file is damaged and left out");
    }
    if (!stored.run) continue;
    if (!found || stored.run->result.status != RunStatus::failed) found = stored.run;
    if (found->result.status != RunStatus::failed) break;
  }
  return found;
}

/// As `motley run` does, from the scenario in the folder. Without its data, say, there is no answer;
/// the results are joined all the same.
void ask_what_decides(const ResultsFolder& out, unsigned jobs) {
  try {
    Study study((out.path() / "scenario.json").string(), {});
    const Study::Results results = [&](const std::string& hash) { return out.result(hash); };
    for (std::size_t unit = 0; unit < study.units().size(); ++unit) study.advance(unit, results);
    for (const RunEntry& run : study.table().runs) {
      if (run.hash.empty() || out.result(run.hash) == nullptr) {
        throw InputError(study.file() + ": is not the scenario of these runs");
      }
    }
    write_limits(study, out, limits_of(study, out.rows()));
    tell_what_decides(std::cout, study, out, jobs, {study.name(), ProgressStyle::none},
                      [] { return false; });
  } catch (const InputError& e) {
    complain("what-if analysis skipped: " + std::string(e.what()));
  }
}

/// What the folder to join into knows already, if it holds runs of the same scenario.
void learn_from_folder(RunTable& table, const std::string& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::path(folder) / "plan.json", ignored)) return;
  try {
    const RunTable there = plan_of(folder);
    if (there.is_same_plan(table)) table.learn_from(there);
  } catch (const InputError&) {
    // Its plan is damaged, and is written anew.
  }
}

std::string name_in(const Json& scenario) {
  return scenario.contains("name") && scenario["name"].is_string() ? scenario["name"] : "";
}

/// What is joined must not take the place of another scenario's results. One of the same name that has
/// been changed since may take its own: as with run, finished runs stay.
void check_is_for(const std::string& folder, const Json& scenario) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::path(folder) / "plan.json", ignored)) return;
  std::string there;
  try {
    there = name_in(scenario_of(folder));
  } catch (const InputError&) {
    return;  // damaged, and written anew
  }
  if (there == name_in(scenario)) return;
  throw InputError("--out: " + folder + " holds the results of the scenario '" + there +
                   "', not of '" + name_in(scenario) + "': choose another folder");
}

/// Runs that the tuning has planned and that are nowhere.
std::size_t missing_trials(const RunTable& table, const ResultsFolder& out) {
  std::set<std::string> missing;
  for (const TuningRecord& record : table.tuning) {
    for (const CandidateRecord& candidate : record.candidates) {
      for (const std::string& hash : candidate.hashes) {
        if (out.result(hash) == nullptr) missing.insert(hash);
      }
    }
  }
  return missing.size();
}

int merge(const po::variables_map& options, const std::vector<std::string>& command_line) {
  if (options.count("folder") == 0 || options.count("out") == 0) {
    throw InputError(
        "merge: needs results folders and --out; usage: motley merge DIR... --out DIR");
  }
  const unsigned jobs =
      positive_option(options, "jobs", std::max(1U, std::thread::hardware_concurrency()));
  const auto folders = options["folder"].as<std::vector<std::string>>();
  RunTable table = plan_of(folders.front());
  for (const std::string& folder : folders) {
    const RunTable other = plan_of(folder);
    if (!other.is_same_plan(table)) {
      throw InputError(folder + ": holds the runs of another scenario than " + folders.front());
    }
    table.learn_from(other);
  }
  const auto target = options["out"].as<std::string>();
  Json scenario = scenario_of(folders.front());
  check_is_for(target, scenario);
  // Whether a run is of this version of its algorithm, only the algorithm can tell.
  add_plugins(scenario, plugins_given(options));
  load_plugins_of(scenario, (std::filesystem::path(folders.front()) / "scenario.json").string());
  learn_from_folder(table, target);
  ResultsFolder out(target, {table, scenario, provenance(command_line)}, {});
  for (const std::string& damage : out.take_complaints()) {
    complain(damage + ": the file is damaged and counts as missing");
  }
  for (const std::string& hash : table.hashes()) {
    if (out.is_done(hash)) continue;
    const std::optional<RunStore::StoredRun> stored = find_run(hash, folders);
    if (stored) out.store(hash, *stored);
  }
  std::set<std::string> identities;
  std::size_t missing = 0;
  std::size_t failed = 0;
  for (const RunEntry& run : table.runs) {
    if (!identities.insert(run.identity()).second) continue;
    const RunResult* result = out.result(run.hash);
    if (result == nullptr) ++missing;
    if (result != nullptr && result->status == RunStatus::failed) ++failed;
  }
  const std::size_t trials_missing = missing_trials(table, out);
  out.write_csvs();
  std::cout << identities.size() - missing << " of " << identities.size() << " runs";
  if (failed > 0) std::cout << ", " << failed << " of them failed";
  std::cout << "\nResults: " << out.path().string() << "\n" << std::flush;
  if (missing + trials_missing > 0) {
    const bool is_one = missing + trials_missing == 1;
    std::cerr << "motley: ";
    if (missing > 0) std::cerr << missing << (missing == 1 ? " run" : " runs");
    if (missing > 0 && trials_missing > 0) std::cerr << " and ";
    if (trials_missing > 0) {
      std::cerr << trials_missing << (trials_missing == 1 ? " tuning run" : " tuning runs");
    }
    std::cerr << (is_one ? " is" : " are") << " missing; to do " << (is_one ? "it" : "them")
              << ": motley run " << shell_quoted((out.path() / "scenario.json").string())
              << " --out " << shell_quoted(out.path().string()) << "\n";
  } else if (options.count("no-whatif") == 0) {
    ask_what_decides(out, jobs);
  }
  return missing + trials_missing + failed > 0 ? 1 : 0;
}

}  // namespace

Command merge_command() {
  Command command;
  command.name = "merge";
  command.topic = topic_many_runs;
  command.summary = "join the results of shards into one folder";
  command.usage = "motley merge DIR... --out DIR";
  command.example = "motley merge shard1 shard2 shard3 --out results/all";
  command.positional = "folder";
  command.most_positional = 100'000;
  po::options_description algorithms("Algorithms");
  algorithms.add(plugin_option());
  command.groups.push_back(algorithms);
  po::options_description output("Output");
  output.add_options()("out", po::value<std::string>()->value_name("DIR"),
                       "folder for the joined results; those already there are kept");
  command.groups.push_back(output);
  po::options_description execution("Execution");
  execution.add_options()("jobs,j", po::value<int>()->value_name("N"),
                          "time N runs at once on changed clusters (default: one per core)")(
      "no-whatif", "do not time the runs again on changed clusters to see what decides");
  command.groups.push_back(execution);
  command.execute = merge;
  return command;
}

}  // namespace motley
