#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "algorithms/catalog.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/format.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/live_refusal.hpp"
#include "sim/cli/summary.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/live/post.hpp"
#include "sim/live/replay.hpp"
#include "sim/live/run_live.hpp"
#include "sim/study/limits.hpp"
#include "sim/study/provenance.hpp"
#include "sim/study/results_folder.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// One of the study's runs, done for real.
struct LiveRun {
  std::size_t index = 0;  ///< in the study
  RunEntry entry;
  Json description;
};

/// Those that are asked for, or all.
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

/// Refuses what cannot be live, before anything starts.
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
                     (ranks == 1 ? "is 1" : "are " + std::to_string(ranks)) + ": mpirun -n " +
                     std::to_string(most_needed) + " motley live " + study.file());
  }
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Where computations took longer than they were to.
void warn_of_overruns(const std::vector<RunLog>& logs, RunResult& result) {
  std::uint64_t all = 0;
  std::uint64_t late = 0;
  double computed_s = 0;
  double late_s = 0;
  for (const RunLog& log : logs) {
    all += log.computations;
    late += log.overruns;
    computed_s += log.computed_s;
    late_s += log.overrun_s;
  }
  if (late == 0) return;
  std::ostringstream text;
  text.precision(2);
  text << late << " of " << all
       << " computations took longer in reality than the scenario gives them, by "
       << 100 * late_s / computed_s
       << " % of all computing: the machine is too busy or too slow for this scenario";
  result.warnings.push_back({"overrun", text.str()});
}

/// The study's run, but live: it has a description and a hash of its own.
LiveRun live_run(const Study& study, std::size_t index, bool emulate) {
  LiveRun run{index, study.entry(index), study.description(index)};
  run.description["live"] = {{"emulate", emulate}};
  run.entry.hash = digest(run.description.dump());
  return run;
}

/// How the program ends, the worst of its runs.
int exit_code_of(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::interrupted:
      return 130;
    case Ending::How::failed:
      return 1;
    default:
      return 0;
  }
}

class LiveCommand {
 public:
  LiveCommand(const po::variables_map& options, const std::vector<std::string>& command_line,
              Transport& transport)
      : options_(options),
        command_line_(command_line),
        quiet_(options.count("quiet") > 0),
        ranks_(transport) {}

  int execute() {
    std::string mistake;
    try {
      load();
    } catch (const InputError& e) {
      mistake = e.what();
    }
    if (is_refused(ranks_.transport(), mistake)) return 2;
    watch_signals();
    for (const LiveRun& run : runs_) {
      const int code = execute(run);
      if (code != 0) return code;
    }
    if (is_first()) tell_results();
    return exit_code_;
  }

 private:
  bool is_first() { return ranks_.rank() == 0; }

  void load() {
    study_ = std::make_unique<Study>(load_study(options_, "live"));
    trace_ = trace_request(options_, live_folder(options_, *study_));
    if (trace_.paje) throw InputError("--paje: SimGrid takes no part in a live run");
    emulate_ = study_->experiment(0).scenario().emulate.value_or(ranks_.share_machine());
    const std::vector<std::size_t> chosen = chosen_runs(options_, *study_);
    check_live(*study_, chosen, ranks_.size(), emulate_);
    for (const std::size_t run : chosen) runs_.push_back(live_run(*study_, run, emulate_));
    table_ = study_->table();
    for (std::size_t run = 0; run < table_.runs.size(); ++run) {
      table_.runs[run] = live_run(*study_, run, emulate_).entry;
    }
    if (is_first()) open_folder();
  }

  void open_folder() {
    if (folder_) return;
    Fresh fresh;  // every call is a new measurement
    for (const LiveRun& run : runs_) fresh.hashes.push_back(run.entry.hash);
    folder_ = std::make_unique<ResultsFolder>(
        live_folder(options_, *study_),
        StudyFiles{table_, study_->full(), provenance(command_line_)}, fresh);
    if (trace_.window) make_trace_folder(trace_);
  }

  /// Ends the process where others may be gone: MPI would wait for them at its own end.
  [[noreturn]] static void leave(int code) {
    std::cout.flush();
    std::cerr.flush();
    std::_Exit(code);
  }

  int execute(const LiveRun& run) {
    const Experiment& experiment = study_->experiment(run.index);
    const RunPlan plan = study_->plan(run.index);
    const std::unique_ptr<Algorithm> algorithm = experiment.algorithm_of(plan);
    const auto tell_begin = [&] {
      if (!is_first() || quiet_) return;
      std::cerr << run.entry.name << " has begun, live on " << counted(ranks_.size(), "rank")
                << ", " << (emulate_ ? "computing emulated" : "at the machines' own speed")
                << std::endl;
    };
    const double begin_s = LiveClock::machine_s();
    // What the results are made with when all is over.
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    const SimulationSetup setup = experiment.setup(threads, {}, run.entry.name, trace_);
    const LiveOutcome outcome = run_live(ranks_, setup, *algorithm, emulate_, tell_begin,
                                         [this](const Ending& ending) { tell_ending(ending); });
    const bool is_complete = outcome.ending.how != Ending::How::interrupted && outcome.lost.empty();
    if (outcome.logs) {
      // Who interrupted it may kill it in a moment, and mpirun kills those that are left when others are
      // gone: what was measured is written by a process that is not part of the job any more.
      if (!is_complete && !is_alone()) leave(exit_code_of(outcome.ending));
      open_folder();
      RunResult result = replay(setup, *algorithm, *outcome.logs, outcome.ending, outcome.end_s);
      result.warnings = experiment.warnings_of(plan, result);
      warn_of_overruns(*outcome.logs, result);
      result.wall_s = LiveClock::machine_s() - begin_s;
      result.peak_rss_mb = peak_memory_mb();
      folder_->store(run.entry.hash, run.description, result);
      folder_->write_csvs();
      if (!outcome.ending.is_normal()) {
        complete_files(std::cerr);
        std::cerr << "motley: what was measured up to " << result.virtual_s << " s is in "
                  << folder_->path().string() << "\n";
      }
      if (result.status == RunStatus::failed) exit_code_ = 1;
    }
    if (!is_complete) leave(exit_code_of(outcome.ending));
    return exit_code_of(outcome.ending);
  }

  /// True in a new process that outlives the job.
  static bool is_alone() {
    std::cout.flush();
    if (fork() != 0) return false;
    setsid();
    return true;
  }

  void tell_ending(const Ending& ending) {
    const std::string where =
        is_first() ? "; what was measured goes to " + live_folder(options_, *study_).string() : "";
    complain("rank " + std::to_string(ranks_.rank()) + ": the run is over: " + ending.reason +
             where);
  }

  /// Those that a whole study has, beside the tables.
  std::vector<LimitRow> complete_files(std::ostream& out) {
    const std::vector<RunResult> rows = folder_->rows();
    // At the machines' own speed the cluster is not that of the description.
    const std::vector<LimitRow> limits =
        emulate_ ? limits_of(*study_, rows) : std::vector<LimitRow>{};
    if (emulate_) write_limits(*study_, *folder_, limits);
    std::vector<std::string> names;
    for (const RunResult& row : rows) names.push_back(row.run);
    finish_traces(out, trace_, folder_->path(), names);
    return limits;
  }

  void tell_results() {
    std::ostringstream traces;
    const std::vector<LimitRow> limits = complete_files(traces);
    print_summary(std::cout, study_->experiment(0), table_.axes, folder_->rows(), limits);
    std::cout << traces.str();
    std::cout << "\nLive on " << counted(ranks_.size(), "rank") << " by " << mpi_version() << ", "
              << (emulate_ ? "computing emulated" : "at the machines' own speed")
              << "; models were evaluated after the run.\nResults: " << folder_->path().string()
              << "\n"
              << std::flush;
  }

  const po::variables_map& options_;
  const std::vector<std::string>& command_line_;
  bool quiet_;
  LiveRanks ranks_;
  std::unique_ptr<Study> study_;
  std::vector<LiveRun> runs_;
  RunTable table_;
  TraceRequest trace_;
  bool emulate_ = true;
  std::unique_ptr<ResultsFolder> folder_;
  int exit_code_ = 0;
};

int live(const po::variables_map& options, const std::vector<std::string>& command_line) {
  if (mpi_version().empty()) mpi_transport();  // says what to install
  if (!is_started_by_mpi()) {
    const Study study = load_study(options, "live");
    const std::vector<std::size_t> runs = chosen_runs(options, study);
    check_live(study, runs, 1, true);  // most need more ranks, and say how many
  }
  const std::unique_ptr<Transport> transport = mpi_transport();
  return LiveCommand(options, command_line, *transport).execute();
}

}  // namespace

Command live_command() {
  Command command;
  command.name = "live";
  command.topic = topic_real;
  command.summary = "run a scenario's algorithms for real, one MPI rank per worker and server";
  command.usage = "mpirun -n RANKS motley live SCENARIO [options]";
  command.example =
      "mpirun -n 9 motley live scenarios/quickstart.json --algorithm async --set /stop/time=30s";
  command.positional = "scenario";
  po::options_description what("Live");
  what.add_options()(
      "algorithm", po::value<std::vector<std::string>>()->value_name("LABEL"),
      "do only this algorithm of the scenario; may be repeated (default: all, one after "
      "another)")("quiet,q", "show no progress, only the table");
  command.groups.push_back(scenario_options());
  po::options_description results("Results");
  results.add_options()("out", po::value<std::string>()->value_name("DIR"),
                        "folder of the results (default: results/<name>_live)");
  command.groups.push_back(results);
  command.groups.push_back(trace_options());
  command.groups.push_back(what);
  command.execute = live;
  return command;
}

}  // namespace motley
