#include <csignal>
#include <iostream>
#include <thread>

#include "sim/app/command_line.hpp"
#include "sim/app/job_queue.hpp"
#include "sim/app/progress_display.hpp"
#include "sim/app/provenance.hpp"
#include "sim/app/reporting.hpp"
#include "sim/app/scenario_options.hpp"
#include "sim/app/summary.hpp"
#include "sim/app/trace_options.hpp"
#include "sim/core/record/result_files.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
}

unsigned positive(const po::variables_map& options, const char* name, unsigned fallback) {
  if (options.count(name) == 0) return fallback;
  constexpr int most = 1024;  // a slip of the keyboard must not start a million threads
  const int value = options[name].as<int>();
  if (value < 1 || value > most) {
    throw InputError(std::string("--") + name + ": must be from 1 to " + std::to_string(most) +
                     ", got " + std::to_string(value));
  }
  return static_cast<unsigned>(value);
}

/// The finished runs in the order of the scenario, whatever the order in which they ended.
std::vector<RunResult> in_order(const std::vector<std::optional<RunResult>>& results) {
  std::vector<RunResult> finished;
  for (const std::optional<RunResult>& result : results) {
    if (result) finished.push_back(*result);
  }
  return finished;
}

int run(const po::variables_map& options, const std::vector<std::string>& command_line) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned wanted_jobs = positive(options, "jobs", cores);
  const unsigned wanted_threads = positive(options, "threads", 0);
  const bool quiet = options.count("quiet") > 0;
  if (options.count("out") > 0 && options["out"].as<std::string>().empty()) {
    throw InputError("--out: must name a folder, got ''");
  }

  const bool wants_report = options.count("report") > 0;
  if (wants_report) check_report_possible();
  trace_request(options, "");  // a mistake in it is told before anything is loaded
  const Experiment experiment = load_experiment(options, "run");
  const unsigned jobs = std::min(wanted_jobs, static_cast<unsigned>(experiment.runs().size()));
  const unsigned threads = wanted_threads > 0 ? wanted_threads : std::max(1U, cores / jobs);
  const ResultFiles files(options.count("out") > 0
                              ? options["out"].as<std::string>()
                              : std::string("results/") + experiment.scenario().name);
  files.write_csvs({});  // results of an earlier run must not stand beside this scenario
  files.write_summary({}, experiment.baseline(), {});
  files.write_json("scenario.json", experiment.full());
  files.write_json("provenance.json", provenance(command_line));

  const TraceRequest trace = trace_request(options, files.folder());
  if (trace.window || trace.paje) std::filesystem::create_directories(trace.folder);

  if (!quiet) std::cerr << experiment.describe() << "\n";
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::vector<std::optional<RunResult>> results(experiment.runs().size());
  ProgressDisplay display(experiment.runs(), quiet);
  JobEvents events;
  events.started = [&](std::size_t i) { display.started(i); };
  events.progressed = [&](std::size_t i, const Progress& progress) {
    display.progressed(i, progress);
  };
  events.finished = [&](std::size_t i, const RunResult& result) {
    results[i] = result;
    files.write_csvs(in_order(results));
    files.write_summary({}, experiment.baseline(), in_order(results));
    display.finished(i, result);
  };
  events.waited = [&] { display.refresh(); };
  events.should_interrupt = [] { return interrupted != 0; };
  const bool complete = do_runs(experiment, jobs, threads, events, trace);
  display.clear();

  const std::vector<RunResult> finished = in_order(results);
  print_summary(std::cout, experiment, {}, finished);
  std::vector<std::string> names;
  for (const RunResult& result : finished) names.push_back(result.run);
  finish_traces(std::cout, trace, files.folder(), names);
  std::cout << "\nResults: " << files.folder().string() << "\n" << std::flush;
  if (!complete) {
    std::cerr << "motley: interrupted; " << finished.size() << " of " << results.size()
              << " runs are finished and kept\n";
    return 130;
  }
  const bool drawn = !wants_report || make_report(files.folder()) == 0;
  for (const RunResult& result : finished) {
    if (result.status == "failed") return 1;
  }
  return drawn ? 0 : 1;
}

}  // namespace

Command run_command() {
  Command command;
  command.name = "run";
  command.summary = "run every algorithm of a scenario and compare them";
  command.usage = "motley run SCENARIO [options]";
  command.example = "motley run scenarios/quickstart.json --set /stop/time=60s --out results/short";
  command.positional = "scenario";
  po::options_description output("Output");
  output.add_options()("out", po::value<std::string>()->value_name("DIR"),
                       "folder for the results (default: results/<name>)")(
      "report", "draw figures and report.html from the results at the end")(
      "quiet,q", "no progress, only the table");
  po::options_description execution("Execution");
  execution.add_options()("jobs,j", po::value<int>()->value_name("N"),
                          "runs at once, each a process of its own (default: one per core)")(
      "threads,t", po::value<int>()->value_name("N"),
      "threads for the mathematics of each run; changes no result (default: cores / jobs)");
  command.groups.push_back(scenario_options());
  command.groups.push_back(output);
  command.groups.push_back(trace_options());
  command.groups.push_back(execution);
  command.execute = run;
  return command;
}

}  // namespace motley
