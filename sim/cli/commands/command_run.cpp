#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <set>
#include <thread>

#include "sim/base/atomic_file.hpp"
#include "sim/base/format.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/cli/assertion.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/cli/live_view.hpp"
#include "sim/cli/progress_display.hpp"
#include "sim/cli/reporting.hpp"
#include "sim/cli/results_kind.hpp"
#include "sim/cli/tables/summary.hpp"
#include "sim/cli/tables/tell_what_decides.hpp"
#include "sim/cli/tables/tuning_lines.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/scenario/planned_failures.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/study/job_queue.hpp"
#include "sim/study/limits.hpp"
#include "sim/study/provenance.hpp"
#include "sim/study/ready_runs.hpp"
#include "sim/study/stored_results.hpp"
#include "sim/study/whatif/whatif.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// How the runs are done; it changes no result.
struct Effort {
  unsigned cores = 1;
  unsigned jobs = 1;
  unsigned threads = 0;  ///< 0: the cores are shared among the jobs
  ProgressStyle progress = ProgressStyle::people;
  TraceRequest trace;
  LiveView* live = nullptr;

  /// Nothing is told to people on stderr.
  bool quiet() const { return progress != ProgressStyle::people; }

  bool traces() const { return trace.window || trace.paje; }
};

/// As many at once as fit into memory together.
void limit_jobs(Effort& effort, const MemoryNeed& need) {
  const unsigned fit = jobs_that_fit(effort.jobs, need.bytes, shared_memory());
  if (fit < effort.jobs && !effort.quiet()) {
    std::cerr << "no more than " << counted(fit, "run") << " at once: " << need.what
              << " needs about " << shown_bytes(need.bytes) << " of the "
              << shown_bytes(shared_memory()) << " of memory there are\n";
  }
  effort.jobs = fit;
}

void on_interrupt(int) {
  interrupted = 1;
}

/// Makes the CSV files now and then, after a run has finished, in at most a twentieth of the time.
class CsvUpdates {
 public:
  explicit CsvUpdates(ResultsFolder& folder) : folder_(folder) {}

  void run_finished() { due_ = true; }
  void write_if_due() {
    const Clock::time_point now = Clock::now();
    if (!due_ || now < next_) return;
    folder_.write_csvs();
    const Clock::time_point end = Clock::now();
    next_ = end + std::max<Clock::duration>(std::chrono::seconds(2), 20 * (end - now));
    due_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  ResultsFolder& folder_;
  bool due_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(2);
};

std::string finished_of(const std::vector<std::size_t>& runs, const Study& study,
                        const ResultsFolder& folder, const ReadyRuns& ready) {
  std::vector<std::string> hashes;
  for (const std::size_t run : runs) hashes.push_back(study.entry(run).hash);
  std::string text = std::to_string(folder.kept(hashes)) + " of " + std::to_string(runs.size());
  if (ready.tuning_runs() > 0) {
    text += " runs and " + std::to_string(ready.tuning_done()) + " of " +
            std::to_string(ready.tuning_runs()) + " tuning";
  }
  return text + " runs are finished and kept";
}

/// How to go on after something could not be written.
std::string way_out(const ResultsFolder& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder.path(), ignored)
             ? "the same command does the rest once there is room"
             : "the folder has been removed; the same command makes it anew";
}

void complain_of_damage(ResultsFolder& folder) {
  for (const std::string& damage : folder.take_complaints()) {
    complain(damage + ": the file is damaged; its run is done again");
  }
  for (const auto& [algorithm, count] : folder.take_outdated()) {
    std::cerr << "motley: " << count << (count == 1 ? " run of " : " runs of ") << algorithm
              << (count == 1 ? " was" : " were")
              << " made by another version of that algorithm: done again\n";
  }
}

/// Adds to `untraced` the runs that are finished but could not be done again for their traces.
bool do_missing(const Study& study, ReadyRuns& ready, std::size_t done, ResultsFolder& folder,
                const Effort& effort, std::size_t& untraced) {
  const ReadyRuns::Work left = ready.left();
  if (left.runs == 0) {
    ProgressDisplay(study, done, effort.progress, effort.live).expect(0, 0);  // for who looks on
    return true;
  }
  const auto jobs = static_cast<unsigned>(std::min<std::size_t>(effort.jobs, left.runs));
  const unsigned threads = effort.threads > 0 ? effort.threads : std::max(1U, effort.cores / jobs);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  ProgressDisplay display(study, done, effort.progress, effort.live);
  display.expect(left.runs, left.cost);
  CsvUpdates csvs(folder);
  JobEvents events;
  events.started = [&](std::size_t run) { display.started(run); };
  events.progressed = [&](std::size_t run, const Progress& p) { display.progressed(run, p); };
  events.retried = [&](std::size_t run, const std::string& why) { display.retried(run, why); };
  events.finished = [&](std::size_t run, const RunResult& result) {
    csvs.run_finished();
    ready.finished(run);
    display.finished(run, result);
  };
  events.failed_again = [&](std::size_t run, const RunResult& result) {
    ++untraced;
    ready.finished(run);
    display.failed_again(run, result);
  };
  events.limited = [&](std::size_t most, const std::string& why) { display.limited(most, why); };
  events.more = [&] {
    std::vector<std::size_t> more = ready.take();
    if (!more.empty()) {
      const ReadyRuns::Work now = ready.left();
      display.expect(now.runs, now.cost);
    }
    return more;
  };
  events.waited = [&] {
    csvs.write_if_due();
    display.refresh();
  };
  events.should_interrupt = [] { return interrupted != 0; };
  return do_runs(study, folder, {jobs, threads, effort.trace}, events);
}

/// What --fresh removes: everything, or what the shard has done.
Fresh fresh_of(const po::variables_map& options, const StudyShard& shard) {
  Fresh fresh;
  if (options.count("fresh") == 0) return fresh;
  fresh.all = shard.count == 1;
  if (fresh.all) return fresh;
  // Another study than the one to be run, which is to tune afresh.
  Study study = load_study(options, "run");
  StoredResults stored(folder_of(options, study));
  for (const std::size_t run : runs_of_shard(study, shard)) {
    if (study.unit_of(run)) study.advance(*study.unit_of(run), stored.lookup());
    if (!study.entry(run).hash.empty()) fresh.hashes.push_back(study.entry(run).hash);
    if (!study.unit_of(run)) continue;
    for (const auto& [name, trial] : study.units()[*study.unit_of(run)].trials) {
      fresh.hashes.push_back(study.entry(trial).hash);
    }
  }
  return fresh;
}

ProgressStyle progress_style(const po::variables_map& options) {
  const std::string word = options["progress"].as<std::string>();
  if (word != "text" && word != "json" && word != "none") {
    throw InputError("--progress: must be text, json or none, got '" + word + "'");
  }
  if (word == "json") return ProgressStyle::json;
  return word == "none" || options.count("quiet") > 0 ? ProgressStyle::none : ProgressStyle::people;
}

NamedAxes point_of_run(const RunTable& table, const RunEntry& run) {
  NamedAxes point;
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    point.emplace_back(table.axes[i], shown_value(run.point[i]));
  }
  return point;
}

/// Checked before anything runs.
std::vector<Assertion> assertions_of(const po::variables_map& options, const Study& study) {
  std::vector<Assertion> assertions;
  if (options.count("fail-unless") == 0) return assertions;
  std::set<std::string> algorithms;
  std::vector<NamedAxes> points;
  for (const RunEntry& run : study.table().runs) {
    algorithms.insert(run.label);
    points.push_back(point_of_run(study.table(), run));
  }
  for (const std::string& text : options["fail-unless"].as<std::vector<std::string>>()) {
    assertions.push_back(parse_assertion(text, algorithms, points));
  }
  return assertions;
}

/// What --json prints: the tables of the results that the closing table is made of.
Json run_document(const Study& study, const std::filesystem::path& folder, bool complete,
                  const Json& assertions) {
  return {{"name", study.name()},
          {"results", folder.string()},
          {"complete", complete},
          {"axes", study.table().axes},
          {"baseline", study.table().baseline},
          {"summary", table_json(folder, "summary")},
          {"comparisons", table_json(folder, "comparisons")},
          {"runs", table_json(folder, "runs")},
          {"warnings", table_json(folder, "warnings")},
          {"whatif", table_json(folder, "whatif")},
          {"assertions", assertions}};
}

int run(const po::variables_map& options, const std::vector<std::string>& command_line) {
  Effort effort;
  effort.cores = std::max(1U, std::thread::hardware_concurrency());
  effort.jobs = positive_option(options, "jobs", effort.cores);
  effort.threads = positive_option(options, "threads", 0);
  effort.progress = progress_style(options);
  const bool json = wants_json(options);
  std::ostream nowhere(nullptr);
  std::ostream& out = json ? nowhere : std::cout;
  const bool wants_report = options.count("report") > 0;
  if (wants_report) check_report_possible();
  trace_request(options, "");  // a mistake in it is told before anything is loaded
  const StudyShard shard = shard_of(options);

  if (options.count("serve") > 0 && !can_serve()) LiveView{""};  // says why

  const Fresh fresh = fresh_of(options, shard);
  Study study = load_study(options, "run");
  const std::vector<Assertion> assertions = assertions_of(options, study);
  if (trace_request(options, "").around_failure_s && !has_failures(study.experiment(0).cluster())) {
    throw InputError(
        "--trace: nothing fails in this scenario, so there is no failure to trace around");
  }
  if (!fresh.all) refuse_other_kind(folder_of(options, study), ResultsKind::simulated);
  check_fits_memory(study.memory_need());
  limit_jobs(effort, study.memory_need());
  const std::vector<std::size_t> runs = runs_of_shard(study, shard);
  const auto open = [&] {
    try {
      return std::make_unique<ResultsFolder>(
          folder_of(options, study),
          StudyFiles{study.table(), study.full(), provenance(command_line)}, fresh);
    } catch (const WriteError& e) {
      throw WriteError(std::string(e.what()) +
                       "; the runs finished there are kept; the same command does the rest once "
                       "there is room");
    }
  };
  const std::unique_ptr<ResultsFolder> opened = open();
  ResultsFolder& folder = *opened;
  complain_of_damage(folder);
  effort.trace = trace_request(options, folder.path());
  if (effort.traces()) make_trace_folder(effort.trace);
  // What is to be traced must be done, if only for the trace.
  ReadyRuns ready(study, folder, runs, effort.traces());
  ready.look();
  complain_of_damage(folder);
  const std::size_t all = runs.size() + ready.tuning_runs();
  const std::size_t done = all - std::min(all, ready.left().runs);
  if (!effort.quiet()) {
    std::cerr << study.describe() << "\n";
    const std::string remark = study.experiment(0).problem().remark();
    if (!remark.empty()) std::cerr << remark << "\n";
    if (shard.count > 1) {
      std::cerr << "shard " << shard.index << "/" << shard.count << ": " << runs.size()
                << " runs\n";
    }
    if (done > 0) std::cerr << done << " of " << all << " already done\n";
  }
  if (const std::string damage = remove_outdated_whatif(study, folder); !damage.empty()) {
    std::cerr << "motley: " << damage << ": the file is removed"
              << (options.count("no-whatif") == 0 ? " and made anew" : "") << "\n";
  }
  std::unique_ptr<LiveView> live;
  if (options.count("serve") > 0) {
    live = std::make_unique<LiveView>(folder.path());
    effort.live = live.get();
    std::cerr << "Live view: " << live->address() << std::endl;
  }
  bool complete = false;
  std::size_t untraced = 0;
  try {
    complete = do_missing(study, ready, done, folder, effort, untraced);
    folder.write_csvs();
  } catch (const WriteError& e) {
    throw WriteError(std::string(e.what()) + "; " + finished_of(runs, study, folder, ready) + "; " +
                     way_out(folder));
  }
  complain_of_damage(folder);

  const std::vector<RunResult> rows = folder.rows();
  const std::vector<LimitRow> limits = limits_of(study, rows);
  write_limits(study, folder, limits);
  print_summary(out, study.experiment(0), study.table().axes, rows, limits);
  print_tuning(out, study);
  if (complete && rows.size() == study.size() && options.count("no-whatif") == 0) {
    complete = tell_what_decides(out, study, folder, effort.jobs,
                                 {study.name(), effort.progress, effort.live},
                                 [] { return interrupted != 0; });
  }
  std::vector<std::string> names;
  for (const RunResult& row : rows) names.push_back(row.run);
  finish_traces(out, effort.trace, folder.path(), names);
  out << "\nResults: " << folder.path().string() << "\n" << std::flush;
  if (!complete) {
    std::cerr << "motley: interrupted; " << finished_of(runs, study, folder, ready)
              << "; the same command does the rest\n";
    if (json) print_json(run_document(study, folder.path(), false, Json::array()));
    return exit_when_interrupted;
  }
  if (untraced > 0) {
    complain(std::to_string(untraced) + " of " + std::to_string(runs.size()) +
             " runs could not be traced; their stored results are kept");
  }
  const ChildOutput where = json ? ChildOutput::on_stderr : ChildOutput::shown;
  const bool drawn = !wants_report || make_report(folder.path(), {}, where) == 0;
  const bool failed = std::ranges::any_of(runs, [&](std::size_t run) {
    return folder.result(study.entry(run).hash)->status == RunStatus::failed;
  });
  bool all_hold = true;
  Json outcomes = Json::array();
  for (const Assertion& assertion : assertions) {
    const Asserted outcome = check_assertion(assertion, folder.path());
    all_hold = all_hold && outcome.holds;
    outcomes.push_back(to_json(assertion, outcome));
    out << to_text(assertion, outcome) << "\n";
    if (!outcome.holds && json) complain(to_text(assertion, outcome));
  }
  const int code = drawn && untraced == 0 && !failed && all_hold ? 0 : 1;
  if (json) print_json(run_document(study, folder.path(), true, outcomes));
  if (live) live->tell(Json({{"event", "complete"}, {"name", study.name()}}).dump());
  return code;
}

}  // namespace

Command run_command() {
  Command command;
  command.name = "run";
  command.topic = topic_run;
  command.summary = "run a scenario (resuming unfinished work) and compare the algorithms";
  command.usage = "motley run SCENARIO [options]";
  command.example = "motley run scenarios/quickstart.json --set /stop/time=60s --out results/short";
  command.positional = "scenario";
  po::options_description execution("Execution");
  execution.add_options()("jobs,j", po::value<int>()->value_name("N"),
                          "do N runs at once, each in its own process (default: one per core)")(
      "threads,t", po::value<int>()->value_name("N"),
      "threads per run for the mathematics; changes no result (default: cores / jobs)")(
      "fresh",
      "remove the finished runs of the folder, or of the shard, first (default: keep them and do "
      "what is missing)")("report", "draw the figures and write report.html at the end")(
      "no-whatif", "do not time the runs again on changed clusters to see what decides")(
      "serve",
      "show progress in a browser: a page on this machine only, at an address with a random token, "
      "which is printed; it has a button to stop")("quiet,q", "show no progress, only the table")(
      "progress", po::value<std::string>()->value_name("STYLE")->default_value("text"),
      "progress format on stderr: text, json (one object per line) or none");
  po::options_description output("Output");
  output.add_options()("json", "print one JSON document on stdout instead, for programs")(
      "fail-unless", po::value<std::vector<std::string>>()->value_name("COMPARISON"),
      "exit with 1 unless this holds for the results, such as 'async.time_to_target_s < 40', "
      "'async.time_to_target_mean_s < 0.8 * sync.time_to_target_mean_s', 'sync.status == ok at "
      "ratio=8'; a column of runs.csv in every run, one of summary.csv at every point; may be "
      "repeated");
  command.groups.push_back(scenario_options());
  command.groups.push_back(folder_options());
  command.groups.push_back(trace_options());
  command.groups.push_back(execution);
  command.groups.push_back(shard_options());
  command.groups.push_back(output);
  command.execute = run;
  return command;
}

}  // namespace motley
