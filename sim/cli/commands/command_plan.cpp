#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/duration.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/study/results_folder.hpp"
#include "sim/study/run_times.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// What the folder knows of a run, without touching the folder.
std::string state_of(const RunStore::Found& found) {
  if (use_of(found) != Use::as_it_is) return "other version";
  if (!found.damage.empty()) return "damaged";
  if (!found.run) return "missing";
  return found.run->result.status == RunStatus::failed ? "failed" : "done";
}

/// The same and, when it is done, how long it took.
struct RunState {
  std::string word;
  double wall_s = 0;
};
RunState state_of(const RunEntry& run, const RunStore& store) {
  if (run.hash.empty()) return {"to be tuned", 0};
  const RunStore::Found found = store.load(run.hash);
  return {state_of(found), found.run ? found.run->result.wall_s : 0};
}

/// Runs that are listed without being asked for: a screenful.
constexpr std::size_t most_listed = 40;

/// The tuning of a shard's runs.
struct TuningPlan {
  std::size_t runs = 0;
  std::size_t done = 0;
  double seconds_left = 0;  ///< at most
};

TuningPlan tuning_of(const Study& study, const std::set<std::size_t>& units, StoredResults& stored,
                     RunTimes& times) {
  TuningPlan plan;
  for (const std::size_t index : units) {
    const TuningUnit& unit = study.units()[index];
    std::size_t done = 0;
    for (const auto& [name, run] : unit.trials) {
      done += stored.result(study.entry(run).hash) != nullptr ? 1 : 0;
    }
    const std::size_t most = unit.state.chosen ? done : unit.budgeted_runs();
    plan.runs += most;
    plan.done += done;
    plan.seconds_left += static_cast<double>(most - std::min(most, done)) *
                         (most > done ? times.seconds_of_trial(index) : 0);
  }
  return plan;
}

/// A run of the plan, for programs.
Json to_json(const RunEntry& run, const std::vector<std::string>& axes, const std::string& state,
             double seconds, const RunStore& store) {
  Json point = Json::object();
  for (std::size_t i = 0; i < axes.size(); ++i) point[axes[i]] = run.point[i];
  return {{"run", run.name},
          {"algorithm", run.label},
          {"replica", run.replica},
          {"seed", run.seed},
          {"point", point},
          {"state", state},
          {"seconds", seconds},
          {"file", run.hash.empty() ? Json() : Json(store.file_of(run.hash).string())}};
}

int plan(const po::variables_map& options, const std::vector<std::string>&) {
  const StudyShard shard = shard_of(options);
  Study study = load_study(options, "plan");
  StoredResults stored(folder_of(options, study));
  const std::vector<std::size_t> runs = runs_of_shard(study, shard);
  std::set<std::size_t> units;
  for (const std::size_t run : runs) {
    if (study.unit_of(run)) units.insert(*study.unit_of(run));
  }
  for (const std::size_t unit : units) study.advance(unit, stored.lookup());
  RunTimes times(study, stored);

  std::map<std::string, std::size_t> counts;
  double seconds_left = 0;
  const bool json = wants_json(options);
  Json listed_runs = Json::array();
  const bool listed = !json && (runs.size() <= most_listed || options.count("list") > 0);
  std::size_t width = 3;
  for (const std::size_t run : runs) width = std::max(width, study.entry(run).name.size());
  const auto column = static_cast<int>(width);
  if (listed) {
    std::cout << std::left << std::setw(column) << "run"
              << "  " << std::setw(13) << "state" << std::right << std::setw(12) << "time"
              << "  file\n";
  }
  for (const std::size_t i : runs) {
    const RunEntry& run = study.entry(i);
    const RunState state = state_of(run, stored.store());
    ++counts[state.word];
    const bool done = state.word == "done";
    const double seconds = done ? state.wall_s : times.seconds(i);
    if (!done) seconds_left += seconds;
    if (json) {
      listed_runs.push_back(to_json(run, study.table().axes, state.word, seconds, stored.store()));
    }
    if (!listed) continue;
    std::cout << std::left << std::setw(column) << run.name << "  " << std::setw(13) << state.word
              << std::right << std::setw(12) << duration(seconds) << "  "
              << (run.hash.empty() ? "" : stored.store().file_of(run.hash).string()) << "\n";
  }
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (json) {
    const TuningPlan tuning = tuning_of(study, units, stored, times);
    print_json({{"name", study.name()},
                {"folder", folder_of(options, study).string()},
                {"runs", listed_runs},
                {"states", counts},
                {"tuning", {{"runs", tuning.runs}, {"done", tuning.done}}},
                {"seconds_left_of_one_core", seconds_left + tuning.seconds_left},
                {"cores", cores}});
    return 0;
  }
  std::cout << (listed ? "\n" : "More than a screenful of runs; --list shows each.\n");
  if (!units.empty()) {
    const TuningPlan tuning = tuning_of(study, units, stored, times);
    seconds_left += tuning.seconds_left;
    std::cout << tuning.runs << " tuning runs + " << runs.size() << " reported runs; "
              << tuning.done << " tuning runs done; reported: ";
  }
  for (const auto& [state, count] : counts) std::cout << count << " " << state << ", ";
  std::cout << "at most " << duration(seconds_left) << " of one core left";
  if (cores > 1 && seconds_left > 0) {
    std::cout << ", " << duration(seconds_left / cores) << " of the " << cores << " here";
  }
  const bool stops_at_target = study.full()["stop"].value("at_target", false);
  if (stops_at_target && seconds_left > 0) std::cout << "; less where runs stop at the target";
  std::cout << "\n";
  return 0;
}

}  // namespace

Command plan_command() {
  Command command;
  command.name = "plan";
  command.topic = topic_many_runs;
  command.summary = "list the runs of a scenario, how long they take and which are done";
  command.usage = "motley plan SCENARIO [options]";
  command.example = "motley plan scenarios/contention.json --shard 1/4";
  command.positional = "scenario";
  command.groups.push_back(scenario_options());
  command.groups.push_back(folder_options());
  command.groups.push_back(shard_options());
  po::options_description output("Output");
  output.add_options()("list", "list every run, even beyond a screenful")(
      "json", "print one JSON document on stdout instead, for programs; it has every run");
  command.groups.push_back(output);
  command.execute = plan;
  return command;
}

}  // namespace motley
