#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/study/results_folder.hpp"

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

std::string gflop(double flops) {
  std::ostringstream text;
  text << std::setprecision(3) << flops / 1e9;
  return text.str();
}

int plan(const po::variables_map& options, const std::vector<std::string>&) {
  const StudyShard shard = shard_of(options);
  const Study study = load_study(options, "plan");
  const std::filesystem::path folder = folder_of(options, study);
  const RunStore store(folder);

  std::map<std::string, std::size_t> counts;
  double cost = 0;
  double cost_left = 0;
  double cost_measured = 0;
  double seconds_measured = 0;
  std::size_t width = 3;
  for (const RunEntry& run : study.table().runs) width = std::max(width, run.name.size());
  const auto column = static_cast<int>(width);
  std::cout << std::left << std::setw(column) << "run"
            << "  " << std::setw(13) << "state" << std::right << std::setw(10) << "Gflop"
            << "  file\n";
  for (const std::size_t i : runs_of_shard(study, shard)) {
    const RunEntry& run = study.table().runs[i];
    const RunStore::Found found = store.load(run.hash);
    const std::string state = state_of(found);
    ++counts[state];
    cost += study.cost(i);
    if (state != "done") cost_left += study.cost(i);
    if (state == "done") {
      cost_measured += study.cost(i);
      seconds_measured += found.run->result.wall_s;
    }
    std::cout << std::left << std::setw(column) << run.name << "  " << std::setw(13) << state
              << std::right << std::setw(10) << gflop(study.cost(i)) << "  "
              << store.file_of(run.hash).string() << "\n";
  }
  std::cout << "\n";
  for (const auto& [state, count] : counts) std::cout << count << " " << state << ", ";
  std::cout << "at most " << gflop(cost_left) << " of " << gflop(cost) << " Gflop left";
  if (cost_measured > 0 && cost_left > 0) {
    std::cout << ", some " << std::setprecision(3) << seconds_measured / cost_measured * cost_left
              << " s of one job at the pace of those done";
  }
  std::cout << "\n";
  return 0;
}

}  // namespace

Command plan_command() {
  Command command;
  command.name = "plan";
  command.topic = topic_many_runs;
  command.summary = "list the runs of a scenario, their expected cost and what is done";
  command.usage = "motley plan SCENARIO [options]";
  command.example = "motley plan scenarios/contention.json --shard 1/4";
  command.positional = "scenario";
  command.groups.push_back(scenario_options());
  command.groups.push_back(folder_options());
  command.groups.push_back(shard_options());
  command.execute = plan;
  return command;
}

}  // namespace motley
