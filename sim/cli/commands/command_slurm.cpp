#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <sys/wait.h>

#include "sim/base/atomic_file.hpp"
#include "sim/base/json.hpp"
#include "sim/base/shell_word.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/live_plan.hpp"
#include "sim/cli/results_kind.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/live/run_live.hpp"
#include "sim/study/results_folder.hpp"
#include "sim/study/slurm_scripts.hpp"

namespace po = boost::program_options;
namespace fs = std::filesystem;

namespace motley {
namespace {

/// A word that goes into a line for Slurm as it is.
std::string plain_word(const po::variables_map& options, const char* name) {
  if (options.count(name) == 0) return "";
  std::string word = options[name].as<std::string>();
  if (word.empty() || word.find_first_of(" \t\n\"'\\") != std::string::npos) {
    throw InputError(std::string("--") + name + ": must be one word, got '" + word + "'");
  }
  return word;
}

/// The rest is up to Slurm.
std::string time_limit(const po::variables_map& options) {
  std::string limit = plain_word(options, "time");
  std::string lower = limit;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower != "infinite" && lower != "unlimited" &&
      limit.find_first_not_of("0123456789:-") != std::string::npos) {
    throw InputError(
        "--time: must be as Slurm writes it: 90 (minutes), 2:00:00, 1-12 (a day and twelve hours) "
        "or "
        "infinite; got '" +
        limit + "'");
  }
  return limit;
}

/// Those of `motley live` that this command takes, as words for it.
std::vector<std::string> live_words(const po::variables_map& options) {
  std::vector<std::string> words;
  if (options.count("algorithm") > 0) {
    for (const std::string& label : options["algorithm"].as<std::vector<std::string>>()) {
      words.insert(words.end(), {"--algorithm", label});
    }
  }
  if (options.count("trace") > 0) {
    trace_request(options, "");  // refused here, not by the job
    words.push_back("--trace=" + options["trace"].as<std::string>());
  }
  return words;
}

SlurmJob job_of(const po::variables_map& options, const Study& study) {
  SlurmJob job;
  job.name = study.name();
  job.program = fs::read_symlink("/proc/self/exe").string();
  job.scenario = {fs::absolute(study.file()).lexically_normal().string()};
  if (options.count("set") > 0) {
    for (const std::string& change : options["set"].as<std::vector<std::string>>()) {
      job.scenario.insert(job.scenario.end(), {"--set", change});
    }
  }
  for (const std::string& plugin : plugins_given(options)) {
    job.scenario.insert(job.scenario.end(), {"--plugin", fs::absolute(plugin).string()});
  }
  const bool is_live = options.count("live") > 0;
  const fs::path out = is_live ? live_folder(options, study) : folder_of(options, study);
  refuse_other_kind(out, is_live ? ResultsKind::live : ResultsKind::simulated);
  job.out = fs::absolute(out).lexically_normal().string();
  if (job.out.find_first_of("\"\n\\") != std::string::npos) {
    throw InputError("--out: Slurm takes no quote, no backslash and no line break in a path, got " +
                     Json(job.out).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  if (is_live) {
    job.live = live_words(options);
    // What the job would refuse is refused before it waits in a queue. It may share machines or not.
    const std::vector<std::size_t> runs = chosen_runs(options, study);
    check_live(study, runs, std::numeric_limits<std::size_t>::max(),
               study.experiment(0).scenario().emulate.value_or(true));
    for (const std::size_t run : runs) {
      const Experiment& experiment = study.experiment(run);
      job.ranks = std::max(
          job.ranks, ranks_needed(experiment.cluster(), *experiment.algorithm_of(study.plan(run))));
    }
  }
  // No task without a run.
  job.tasks = std::min<std::size_t>(positive_option(options, "tasks", 1), most_shards(study));
  // A rank computes in one thread and moves messages in another.
  job.cpus = positive_option(options, "cpus", is_live ? 2 : 1);
  job.partition = plain_word(options, "partition");
  job.time = time_limit(options);
  return job;
}

/// Submits a script and returns the number of its job.
std::string submit(const std::string& sbatch_options, const fs::path& script) {
  const std::string command = "sbatch --parsable " + sbatch_options + shell_quoted(script.string());
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("sbatch cannot be started");
  std::string answer;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) answer += static_cast<char>(c);
  const int status = pclose(pipe);
  std::string id = answer.substr(0, answer.find_first_of(";\n"));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || id.empty()) {
    throw std::runtime_error("'" + command + "' failed; is this a Slurm cluster?");
  }
  return id;
}

fs::path made_folder(const SlurmJob& job) {
  fs::path folder = ours_or_empty(job.out) / "slurm";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(folder.string() + ": cannot be created: " + error.message());
  return folder;
}

int slurm_live(const po::variables_map& options, const SlurmJob& job) {
  if (options.count("dry-run") > 0) {
    std::cout << live_script(job);
    return 0;
  }
  const fs::path script = made_folder(job) / "live.sh";
  write_atomically(script, live_script(job));
  if (options.count("submit") == 0) {
    std::cout << "Wrote " << script.string() << "\nSubmit it with: sbatch "
              << shell_quoted(script.string()) << "\n";
    return 0;
  }
  const std::string id = submit("", script);
  std::cout << "Submitted: " << job.ranks << " ranks as job " << id << "\nResults will be in "
            << job.out << "\n";
  return 0;
}

int slurm(const po::variables_map& options, const std::vector<std::string>&) {
  const bool is_live = options.count("live") > 0;
  if (options.count("tasks") == 0 && !is_live) {
    throw InputError("slurm: needs --tasks N; usage: motley slurm SCENARIO --tasks N [options]");
  }
  if (options.count("tasks") > 0 && is_live) {
    throw InputError(
        "--tasks: a live run is one job with a task for each worker and server; leave it out");
  }
  for (const char* name : {"algorithm", "trace"}) {
    if (options.count(name) > 0 && !is_live) {
      throw InputError(std::string("--") + name + ": is for live runs; add --live or leave it out");
    }
  }
  const Study study = load_study(options, "slurm");
  const SlurmJob job = job_of(options, study);
  if (is_live) return slurm_live(options, job);
  if (options.count("dry-run") > 0) {
    std::cout << array_script(job) << "\n"
              << merge_script(job)
              << "\n# submitted by: array=$(sbatch --parsable array.sh) && sbatch "
                 "--dependency=afterany:$array merge.sh\n";
    return 0;
  }
  const fs::path folder = made_folder(job);
  const fs::path array = folder / "array.sh";
  const fs::path merge = folder / "merge.sh";
  write_atomically(array, array_script(job));
  write_atomically(merge, merge_script(job));
  if (options.count("submit") == 0) {
    std::cout << "Wrote " << array.string() << ", " << merge.string() << "\n"
              << "Submit them with: array=$(sbatch --parsable " << shell_quoted(array.string())
              << ") && sbatch --dependency=afterany:$array " << shell_quoted(merge.string())
              << "\n";
    return 0;
  }
  const std::string array_id = submit("", array);
  const std::string merge_id = submit("--dependency=afterany:" + array_id + " ", merge);
  std::cout << "Submitted: " << job.tasks << " tasks as job " << array_id << ", merging as job "
            << merge_id << "\nResults will be in " << job.out
            << "; the same command does what is missing then\n";
  return 0;
}

}  // namespace

Command slurm_command() {
  Command command;
  command.name = "slurm";
  command.topic = topic_many_runs;
  command.summary = "run a scenario as a Slurm job array, each task a shard";
  command.usage = "motley slurm SCENARIO --tasks N [options]";
  command.example = "motley slurm scenarios/heterogeneity.json --tasks 16 --partition cpu --submit";
  command.positional = "scenario";
  po::options_description array("Job array");
  array.add_options()("tasks", po::value<int>()->value_name("N"),
                      "number of tasks (fewer when there are fewer runs)")(
      "cpus", po::value<int>()->value_name("N"),
      "CPUs per task, each for one run at a time (default: 1); with --live, of each rank (default: "
      "2, since it moves messages while it computes)")(
      "partition", po::value<std::string>()->value_name("NAME"),
      "partition to run on (default: the cluster's)")(
      "time", po::value<std::string>()->value_name("LIMIT"),
      "time limit per task, as Slurm writes it, such as 2:00:00")(
      "submit", "submit the jobs (default: only write their scripts)")(
      "dry-run", "print the scripts and write nothing");
  po::options_description live("Live");
  live.add_options()(
      "live",
      "instead, one job that runs the scenario for real: a rank for each worker and server (see "
      "motley live)")("algorithm", po::value<std::vector<std::string>>()->value_name("LABEL"),
                      "do only this algorithm of the scenario; may be repeated")(
      "trace", po::value<std::string>()->implicit_value(":", "")->value_name("[FROM:TO]"),
      "write timelines, as motley live does");
  command.groups.push_back(scenario_options());
  command.groups.push_back(folder_options());
  command.groups.push_back(array);
  command.groups.push_back(live);
  command.execute = slurm;
  return command;
}

}  // namespace motley
