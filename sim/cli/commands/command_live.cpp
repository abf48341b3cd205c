#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "sim/base/format.hpp"
#include "sim/base/guardian.hpp"
#include "sim/base/process_apart.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/last_words.hpp"
#include "sim/cli/live_plan.hpp"
#include "sim/cli/live_refusal.hpp"
#include "sim/cli/live_warnings.hpp"
#include "sim/cli/results_kind.hpp"
#include "sim/cli/tables/summary.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/live/interrupts.hpp"
#include "sim/live/rank_names.hpp"
#include "sim/live/replay.hpp"
#include "sim/live/run_live.hpp"
#include "sim/study/limits.hpp"
#include "sim/study/provenance.hpp"
#include "sim/study/results_folder.hpp"

namespace po = boost::program_options;
namespace fs = std::filesystem;

namespace motley {
namespace {

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// How the program ends, the worst of its runs.
int exit_code_of(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::interrupted:
      return exit_when_interrupted;
    case Ending::How::failed:
      return 1;
    default:
      return 0;
  }
}

class LiveCommand {
 public:
  LiveCommand(const po::variables_map& options, const std::vector<std::string>& command_line,
              LastWords& words, Transport& transport)
      : options_(options),
        command_line_(command_line),
        quiet_(options.count("quiet") > 0),
        words_(words),
        ranks_(transport) {}

  int execute() {
    // Old results go only when no rank refuses.
    for (const auto& step : {&LiveCommand::load, &LiveCommand::open_results}) {
      const int refused = prepare_everywhere(ranks_.transport(), [&] { (this->*step)(); });
      if (refused != 0) {
        words_.say_no_more();  // the first rank has said it
        return refused;
      }
    }
    share_notes();
    words_.introduce(name_of_rank(study_->experiment(0).cluster(), ranks_.rank()), own_mark());
    for (const LiveRun& run : runs_) {
      const int code = execute(run);
      if (code != 0) return code;
    }
    words_.expect({"the job is over: "}, LastWords::Interrupt::is_noted);
    if (is_first()) tell_results();
    if (interrupting_signal() != 0) words_.leave(exit_when_interrupted);
    return exit_code_;
  }

 private:
  bool is_first() { return ranks_.rank() == 0; }

  void load() {
    study_ = std::make_unique<Study>(load_study(options_, "live"));
    trace_ = trace_request(options_, live_folder(options_, *study_));
    if (trace_.paje) throw InputError("--paje: SimGrid takes no part in a live run");
    if (trace_.around_failure_s) {
      throw InputError(
          "--trace: a live run makes no machine fail, so there is no failure to trace around");
    }
    emulate_ = study_->experiment(0).scenario().emulate.value_or(ranks_.share_machine());
    const std::vector<std::size_t> chosen = chosen_runs(options_, *study_);
    check_live(*study_, chosen, ranks_.size(), emulate_);
    for (const std::size_t run : chosen) runs_.push_back(live_run(*study_, run, emulate_));
    table_ = study_->table();
    for (std::size_t run = 0; run < table_.runs.size(); ++run) {
      table_.runs[run] = live_run(*study_, run, emulate_).entry;
    }
    if (is_first()) refuse_other_kind(live_folder(options_, *study_), ResultsKind::live);
  }

  /// On the first rank: every call is a new measurement.
  void open_results() {
    if (!is_first()) return;
    Fresh fresh;
    for (const LiveRun& run : runs_) fresh.hashes.push_back(run.entry.hash);
    open_folder(fresh);
  }

  /// Others than the first rank have it not open, and only write what is left of a run.
  void open_folder(const Fresh& fresh = {}) {
    folder_ = std::make_unique<ResultsFolder>(
        live_folder(options_, *study_),
        StudyFiles{table_, study_->full(), provenance(command_line_)}, fresh);
    if (trace_.window) make_trace_folder(trace_);
  }

  /// Where every rank keeps what it has noted, should it be killed: in the results, as far as it sees them.
  void share_notes() {
    const fs::path folder = live_folder(options_, *study_) / "unfinished";
    std::string mark;
    std::error_code error;
    if (is_first()) {
      mark = std::to_string(getpid()) + "-" + std::to_string(LiveClock::machine_s());
      if (fs::remove_all(folder, error) > 0 && !error) {
        complain("removed " + folder.string() +
                 ", which an earlier call left: whoever was to write its results was killed, too");
      }
      fs::create_directory(folder, error);
      std::ofstream(folder / mark).flush();
    }
    mark_ = folder / ranks_.transport().exchange(mark).front();
    if (fs::exists(mark_, error)) notes_ = folder;
  }
  /// In the folder of the notes: that this rank is gone without a word.
  fs::path own_mark() const {
    return notes_.empty() ? notes_ : notes_ / ("rank-" + std::to_string(ranks_.rank()));
  }
  void expect_end_of_run() {
    const std::string where =
        is_first() ? "; what was measured goes to " + live_folder(options_, *study_).string() : "";
    words_.expect({"the run is over: ", where}, LastWords::Interrupt::is_noted);
  }
  /// While its models are evaluated.
  void expect_end_of_job(const LiveRun& run) {
    const std::string where =
        is_first() ? ", and the results go to " + live_folder(options_, *study_).string() : "";
    words_.expect(
        {"the job is over: ", "; the models of " + run.entry.name + " are still evaluated" + where},
        LastWords::Interrupt::is_noted);
  }
  void remove_notes() const {
    std::error_code error;
    if (notes_.empty()) return;
    // The mark last, since others wait for that; but files in use may stay on a network's disk.
    for (const fs::directory_entry& file : fs::directory_iterator(notes_, error)) {
      if (file.path() != mark_) fs::remove_all(file.path(), error);
    }
    fs::remove(mark_, error);
    fs::remove_all(notes_, error);
    if (error) fs::remove_all(notes_, error);  // a rank that is gone may just have left its mark
  }
  /// Those of one run; empty where this rank cannot see them.
  fs::path notes_of(const LiveRun& run) const {
    return notes_.empty() ? notes_ : notes_ / run.entry.hash;
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
    const auto write = [&](const LiveOutcome& outcome) {
      RunResult result = replay(setup, *algorithm, *outcome.logs, outcome.ending, outcome.end_s);
      result.warnings = experiment.warnings_of(plan, result);
      warn_of_overruns(*outcome.logs, result);
      warn_of_large_messages(*outcome.logs, result);
      result.wall_s = LiveClock::machine_s() - begin_s;
      return store(run, result, outcome);
    };
    expect_end_of_run();
    // Whoever kills the whole job leaves its ranks no time to write anything.
    if (is_first() && !notes_.empty()) {
      guardian_.emplace([&] { write_what_is_left(run, write); });
    }
    std::error_code error;
    if (!notes_.empty()) fs::create_directories(notes_of(run), error);
    LiveOutcome outcome =
        run_live(ranks_, setup, *algorithm, emulate_, notes_of(run),
                 {tell_begin, [this](const Ending& ending) { words_.say(ending.reason); },
                  [this](const std::string& who) { tell(who); }});
    name_first_to_go(outcome);
    std::optional<ProcessApart> writing;
    if (outcome.logs) {
      // Who interrupts a job kills it in a moment, and mpirun kills those that are left when others are gone: what
      // was measured is written by a process that is not part of the job any more.
      writing.emplace([&] {
        words_.disown();
        try {
          if (!folder_) open_folder();
          return write(outcome);
        } catch (const std::exception& e) {
          complain(e.what());
        }
        try {  // once more: the notes may have filled the disk, or somebody has removed the folder
          // They are still open: removing them would free nothing.
          for (const fs::directory_entry& file : fs::directory_iterator(notes_of(run), error)) {
            fs::resize_file(file.path(), 0, error);
          }
          if (!fs::exists(folder_->path())) open_folder();
          complain("trying once more");
          return write(outcome);
        } catch (const std::exception& e) {
          complain(e.what());
          return not_written;
        }
      });
    }
    if (!outcome.is_complete()) {
      if (is_slurms()) stay_for(writing);
      words_.leave(exit_code_of(outcome.ending));
    }
    expect_end_of_job(run);
    // Its exit code; not_written when nothing is there.
    std::optional<int> written;
    const std::string not_stored = "the results of " + run.entry.name + " could not be written";
    const auto is_ready = [&]() -> std::optional<std::string> {
      if (!writing) return "";
      if (!written && (written = writing->result()) && is_there(written)) {
        words_.expect({"the job is over: ", "; the results of " + run.entry.name + " are in " +
                                                folder_->path().string()},
                      LastWords::Interrupt::is_noted);
      }
      if (!written) return std::nullopt;
      return is_there(written) ? "" : not_stored;
    };
    const Ending ending = wait_for_all(ranks_, is_ready, [&](const Ending& bad) {
      if (bad.reason == not_stored)
        words_.expect({"the run is over: "}, LastWords::Interrupt::is_noted);
      words_.say(bad.reason);
    });
    if (!ending.is_normal()) {
      if (is_slurms() && ending.reason != not_stored) stay_for(writing);
      if (writing) written = writing->result();
      if (is_first() && is_there(written)) complete_results();
      if (is_first() && written == not_written) {  // to try once more would fail as well
        remove_notes();
        if (guardian_) guardian_->dismiss();
      }
      words_.leave(exit_code_of(ending));
    }
    if (written) {
      exit_code_ = std::max(exit_code_, *written);
      folder_->refresh();
    }
    if (is_first() && !notes_.empty()) fs::remove_all(notes_of(run), error);
    if (guardian_ && &run != &runs_.back()) guardian_->dismiss();
    return exit_code_of(outcome.ending);
  }

  /// Slurm kills all that is left of a job once its ranks are gone, those that write its results, too.
  static bool is_slurms() { return std::getenv("SLURM_JOB_ID") != nullptr; }
  /// Until the results of an incomplete run are written, here or by another rank (who cannot see that waits as long as
  /// it may); Slurm has been asked to wait for a minute.
  void stay_for(std::optional<ProcessApart>& writing) const {
    constexpr double patience_s = 55;
    constexpr auto nap = std::chrono::milliseconds(20);
    std::error_code error;
    const double until = LiveClock::machine_s() + patience_s;
    while (LiveClock::machine_s() < until &&
           (writing ? !writing->result() : notes_.empty() || fs::exists(mark_, error))) {
      std::this_thread::sleep_for(nap);
    }
  }

  /// When this rank was killed: what all have kept in their files, unless another rank has written the results.
  void write_what_is_left(const LiveRun& run, const std::function<int(const LiveOutcome&)>& write) {
    try {
      LiveOutcome outcome = outcome_of_notes(notes_of(run), ranks_.size());
      if (!fs::exists(mark_)) return;  // written, or begun anew by another call
      name_first_to_go(outcome);
      (void)folder_.release();  // its file is not open in this process
      open_folder();
      if (folder_->find(run.entry.hash) == nullptr) {
        tell(outcome.ending.reason);
        write(outcome);
      } else {  // written, but this rank has left before it could do the rest
        complete_files(std::cerr);
        remove_notes();
      }
    } catch (const std::exception& e) {
      complain(e.what());
    }
  }

  /// As far as this rank sees the notes.
  void name_first_to_go(LiveOutcome& outcome) const {
    const std::string first = first_to_go(notes_, ranks_.size());
    if (first.empty() || outcome.ending.is_normal()) return;
    outcome.ending.reason =
        "the first to end without a word was " + first + "; " + outcome.ending.reason;
  }

  static constexpr int not_written = 3;
  /// Whether somebody has written the results, by its exit code; negative where it was killed.
  static bool is_there(const std::optional<int>& written) {
    return written && *written >= 0 && *written != not_written;
  }

  /// Returns the exit code.
  int store(const LiveRun& run, RunResult& result, const LiveOutcome& outcome) {
    result.peak_rss_mb = peak_memory_mb();
    folder_->store(run.entry.hash, run.description, result);
    folder_->write_csvs();
    if (!outcome.ending.is_normal()) {
      complete_files(std::cerr);
      std::cerr << "motley: what was measured up to " << result.virtual_s << " s is in "
                << folder_->path().string() << "\n";
    }
    // Last: others take it for the end of writing.
    if (!outcome.ending.is_normal() || !outcome.is_complete()) remove_notes();
    return result.status == RunStatus::failed ? 1 : 0;
  }

  void tell(const std::string& what) {
    complain("rank " + std::to_string(ranks_.rank()) + ": " + what);
  }

  /// What is left to do with a run that another process has written, where this one is about to end.
  void complete_results() {
    try {
      folder_->refresh();
      complete_files(std::cerr);
      remove_notes();
    } catch (const std::exception& e) {
      complain(e.what());
    }
  }

  /// Those that a whole study has, beside the tables.
  std::vector<LimitRow> complete_files(std::ostream& out) {
    const std::vector<RunResult> rows = folder_->rows();
    // At the machines' own speed the cluster is not that of the description.
    std::vector<LimitRow> limits = emulate_ ? limits_of(*study_, rows) : std::vector<LimitRow>{};
    if (emulate_) write_limits(*study_, *folder_, limits);
    std::vector<std::string> names;
    for (const RunResult& row : rows) names.push_back(row.run);
    finish_traces(out, trace_, folder_->path(), names);
    return limits;
  }

  void tell_results() {
    std::ostringstream traces;
    const std::vector<LimitRow> limits = complete_files(traces);
    remove_notes();
    if (guardian_) guardian_->dismiss();
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
  LastWords& words_;
  LiveRanks ranks_;
  std::unique_ptr<Study> study_;
  std::vector<LiveRun> runs_;
  RunTable table_;
  TraceRequest trace_;
  bool emulate_ = true;
  std::unique_ptr<ResultsFolder> folder_;
  fs::path notes_;  // of the ranks; empty where this one cannot see the folder
  fs::path mark_;   // in that folder: these notes are of this call
  // Of the first rank: of the run that goes on, and of the last one until all files are there.
  std::optional<Guardian> guardian_;
  int exit_code_ = 0;
};

int live(const po::variables_map& options, const std::vector<std::string>& command_line) {
  if (mpi_version().empty()) mpi_transport();  // says what to install
  if (!is_started_by_mpi()) {
    const Study study = load_study(options, "live");
    const std::vector<std::size_t> runs = chosen_runs(options, study);
    check_live(study, runs, 1, true);  // most need more ranks, and say how many
  }
  LastWords words(rank_by_environment());
  const std::unique_ptr<Transport> transport = mpi_transport();
  try {
    const int code = LiveCommand(options, command_line, words, *transport).execute();
    words.expect({"the job is over: "}, LastWords::Interrupt::ends_at_once);
    transport->end();
    return code;
  } catch (const std::exception& e) {
    words.say(e.what());
    words.leave(1);
  }
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
  command.refuse = refuse_everywhere;
  return command;
}

}  // namespace motley
