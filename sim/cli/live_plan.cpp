#include "sim/cli/live_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>

#include "algorithms/catalog.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/format.hpp"
#include "sim/live/run_live.hpp"

namespace po = boost::program_options;

namespace motley {

LiveRun live_run(const Study& study, std::size_t index, bool emulate) {
  LiveRun run{index, study.entry(index), study.description(index)};
  run.description["live"] = {{"emulate", emulate}};
  run.entry.hash = digest(run.description.dump());
  return run;
}

std::vector<std::size_t> chosen_runs(const po::variables_map& options, const Study& study) {
  std::set<std::string> labels;
  for (const RunEntry& entry : study.table().runs) labels.insert(entry.label);
  std::set<std::string> wanted = labels;
  if (options.count("algorithm") > 0) {
    wanted.clear();
    for (const std::string& label : options["algorithm"].as<std::vector<std::string>>()) {
      if (!labels.contains(label)) {
        throw InputError("--algorithm: must be the label of an algorithm of the scenario" +
                         did_you_mean(label, {labels.begin(), labels.end()}) +
                         ", there are: " + listed(labels) + ", got '" + label + "'");
      }
      wanted.insert(label);
    }
  }
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < study.size(); ++run) {
    if (wanted.contains(study.entry(run).label)) runs.push_back(run);
  }
  return runs;
}

void check_live(const Study& study, const std::vector<std::size_t>& runs, std::size_t ranks,
                bool emulate) {
  if (!study.table().axes.empty()) {
    throw InputError(study.file() +
                     ": /sweep: a live run has one cluster; leave it out and use --set");
  }
  std::size_t most_needed = 0;
  for (const std::size_t run : runs) {
    if (study.unit_of(run)) {
      throw InputError(
          study.file() +
          ": /tune: a live run tunes nothing; tune in a simulation and give the values");
    }
    const Experiment& experiment = study.experiment(run);
    const RunPlan plan = study.plan(run);
    const std::unique_ptr<Algorithm> algorithm = experiment.algorithm_of(plan);
    std::string why = why_not_live(experiment.setup(1, {}, "", {}), *algorithm, emulate);
    if (find_algorithm(plan.algorithm, plan.place).traits.needs.starts_with("nodes")) {
      why =
          "it averages between nodes by messages of its own, and a live run by a ring; leave it "
          "out";
    }
    if (!why.empty()) throw InputError(study.file() + ": " + plan.label + ": " + why);
    most_needed = std::max(most_needed, ranks_needed(experiment.cluster(), *algorithm));
  }
  if (ranks < most_needed) {
    const std::size_t workers = study.experiment(runs.front()).cluster().workers.size();
    throw InputError("the run needs " + std::to_string(most_needed) + " ranks, " +
                     counted(workers, "worker") + " and " +
                     counted(most_needed - workers, "server") + ", and there " +
                     (ranks == 1 ? "is 1" : "are " + std::to_string(ranks)) + ": " +
                     mpirun_line(most_needed, "motley live " + study.file()));
  }
}

std::string mpirun_line(std::size_t ranks, const std::string& words) {
  // Without a word on it Open MPI starts no more ranks than there are cores; in a Slurm job the job says how many.
  const bool is_crowded =
      ranks > std::thread::hardware_concurrency() && std::getenv("SLURM_JOB_ID") == nullptr;
  return "mpirun -n " + std::to_string(ranks) + (is_crowded ? " --oversubscribe " : " ") + words;
}

}  // namespace motley
