#include "sim/study/results_folder.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "sim/base/atomic_file.hpp"
#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/results/run_warnings.hpp"
#include "sim/results/statistics/cut_short.hpp"
#include "sim/results/tables/tuned_table.hpp"
#include "sim/study/provenance.hpp"

namespace fs = std::filesystem;

namespace motley {
namespace {

bool is_better(const RunResult& a, const RunResult& b) {
  const auto rank = [](const RunResult& r) {
    return r.status == RunStatus::ok ? 2 : r.status == RunStatus::diverged ? 1 : 0;
  };
  return rank(a) > rank(b);
}

bool contains_text(const fs::path& file, const std::string& text) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {}).find(text) != std::string::npos;
}

/// Whether a file or folder shows that the folder it is in holds results.
bool shows_results(const fs::path& file) {
  const std::string name = file.filename().string();
  std::error_code error;
  if (name == "plan.json") return contains_text(file, "\"runs\"");
  if (name == "runs.csv") return contains_text(file, "virtual_s");
  if (name == "slurm")
    return fs::exists(file / "array.sh", error) || fs::exists(file / "live.sh", error);
  if (name != "shards") return false;
  for (fs::directory_iterator shard(file, error), end; !error && shard != end;
       shard.increment(error)) {
    if (fs::exists(shard->path() / "plan.json", error)) return true;
  }
  return false;
}

}  // namespace

const fs::path& ours_or_empty(const fs::path& folder) {
  std::error_code error;
  bool is_begun = true;  // nothing else than what is written before the plan
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (shows_results(file->path())) return folder;
    const std::string name = file->path().filename().string();
    is_begun = is_begun && (name.starts_with(".") || name == "runs" || name == "traces" ||
                            name == "scenario.json" || name == "provenance.json");
  }
  if (is_begun) return folder;
  throw InputError("--out: " + folder.string() +
                   " is not empty and holds no results of motley: name a folder that is empty or "
                   "does not exist yet");
}

std::string algorithm_of(const RunStore::StoredRun& run) {
  return run.description.at("algorithm").at("name");
}

Use use_of(const RunStore::Found& found) {
  if (!found.program.is_object()) return Use::as_it_is;
  switch (maker_of(found.program, found.run ? algorithm_of(*found.run) : "")) {
    case Maker::same:
      return Use::as_it_is;
    case Maker::other_algorithm:
      return found.run ? Use::do_again : Use::as_it_is;  // damaged ones are told as such
    case Maker::other_program:
      return Use::refuse;
  }
  return Use::refuse;
}

InputError refusal(const std::filesystem::path& file, const Json& program,
                   const std::string& instead) {
  return InputError(file.string() + ": was made by another version of motley, " +
                    shown_program(program) + ", and this is " + shown_program(this_program("")) +
                    ": " + instead);
}

ResultsFolder::ResultsFolder(const std::filesystem::path& folder, const StudyFiles& study,
                             const Fresh& fresh)
    : files_(ours_or_empty(folder)), table_(study.table), store_(folder), lock_(folder) {
  std::error_code error;
  std::filesystem::create_directories(store_.folder(), error);
  if (error) {
    throw InputError(store_.folder().string() + ": cannot be created: " + error.message() +
                     " (choose another folder with --out)");
  }
  lock_.exclusively([&] { open(study, fresh); });
}

void ResultsFolder::open(const StudyFiles& study, const Fresh& fresh) {
  const std::string where = path().string();
  if (lock_.alone()) {
    remove_half_written(path());
    remove_half_written(store_.folder());
    if (fresh.all) {
      store_.remove_all();
      std::filesystem::remove(path() / "plan.json");  // with what it knows of tuning
    }
    for (const std::string& hash : fresh.hashes) store_.remove(hash);
  } else if (fresh.all || !fresh.hashes.empty()) {
    throw InputError((fresh.all ? "--fresh: another" : "another") +
                     (" process is at work in " + where) +
                     "; stop it first, or choose another folder with --out");
  } else if (!read_run_table(path() / "plan.json").is_same_plan(table_)) {
    throw InputError(where +
                     ": another process is at work there on another scenario; choose another "
                     "folder with --out");
  }
  refresh();
  lock_.join();
  files_.write_json("scenario.json", study.scenario);
  write_plan();
  files_.write_json("provenance.json", study.provenance);
  write_tables();
}

void ResultsFolder::write_plan() {
  std::error_code ignored;
  const std::filesystem::path file = path() / "plan.json";
  if (!table_.tuning.empty() && std::filesystem::exists(file, ignored)) {
    try {
      const RunTable known = read_run_table(file);
      if (known.is_same_plan(table_)) table_.learn_from(known);
    } catch (const InputError&) {  // damaged: written anew
    }
  }
  const Json plan = to_json(table_);
  if (plan == written_plan_) return;
  files_.write_json("plan.json", plan);
  written_plan_ = plan;
}

void ResultsFolder::write_tables() const {
  const std::vector<RunResult> finished = rows();
  if (!table_.tuning.empty()) {
    replace_atomically(path() / "tuned.csv",
                       tuned_csv(table_, [this](const std::string& hash) { return result(hash); }));
  }
  files_.write_csvs(table_.axes, finished);
  files_.write_statistics(table_.axes, table_.baseline, finished);
}

void ResultsFolder::refresh() {
  for (const std::string& hash : table_.hashes()) {
    if (!is_done(hash)) find_stored(hash);
  }
}

void ResultsFolder::find_stored(const std::string& hash) {
  const std::optional<RunStore::StoredRun> stored = load(hash);
  if (stored) results_[hash] = stored->result;
}

const RunResult* ResultsFolder::find(const std::string& hash) {
  if (result(hash) == nullptr && !hash.empty()) find_stored(hash);
  return result(hash);
}

std::optional<RunStore::StoredRun> ResultsFolder::load(const std::string& hash) {
  RunStore::Found found = store_.load(hash);
  const Use use = use_of(found);
  if (use == Use::refuse) {
    throw refusal(store_.file_of(hash), found.program,
                  "do all runs again with --fresh, or choose another folder with --out");
  }
  if (use == Use::do_again) {
    outdated_[algorithm_of(*found.run)].insert(hash);
    return std::nullopt;
  }
  if (!found.damage.empty()) {
    complaints_.try_emplace(found.damage, false);
  }
  return std::move(found.run);
}

std::vector<std::string> ResultsFolder::take_complaints() {
  std::vector<std::string> untold;
  for (auto& [complaint, told] : complaints_) {
    if (!told) untold.push_back(complaint);
    told = true;
  }
  return untold;
}

std::map<std::string, std::size_t> ResultsFolder::take_outdated() {
  std::map<std::string, std::size_t> counts;
  for (const auto& [algorithm, hashes] : outdated_) counts[algorithm] = hashes.size();
  outdated_.clear();
  return counts;
}

std::size_t ResultsFolder::kept(const std::vector<std::string>& hashes) const {
  return static_cast<std::size_t>(
      std::count_if(hashes.begin(), hashes.end(), [this](const std::string& hash) {
        std::error_code ignored;
        return is_done(hash) && std::filesystem::exists(store_.file_of(hash), ignored);
      }));
}

const RunResult* ResultsFolder::result(const std::string& hash) const {
  const auto found = results_.find(hash);
  return found == results_.end() ? nullptr : &found->second;
}

bool ResultsFolder::is_done(const std::string& hash) const {
  const RunResult* known = result(hash);
  return known != nullptr && known->status != RunStatus::failed;
}

std::string ResultsFolder::why_in_vain(const TuningRecord& choice) const {
  if (choice.chosen < 0 || choice.runs() == 0) return "";
  std::size_t broken = 0;
  for (const CandidateRecord& candidate : choice.candidates) {
    for (const std::string& hash : candidate.hashes) {
      const RunResult* run = result(hash);
      if (run == nullptr) return "";
      if (run->status != RunStatus::ok)
        ++broken;
      else if (!got_nowhere(*run))
        return "";
    }
  }
  const std::string all = "all " + counted(choice.runs(), "tuning run") + " of its " +
                          counted(choice.candidates.size(), "candidate");
  return "was tuned in vain: " + all +
         (broken == choice.runs() ? " diverged or failed"
          : broken == 0           ? " never left the initial model or chance"
                        : " diverged, failed, or never left the initial model or chance") +
         "; " + choice.chosen_text() + " is no choice: give another grid";
}

namespace {

/// Once for all replicas.
void warn_of_cut_short(std::vector<RunResult>& rows) {
  std::map<AtPoint, CutShort> cut = cut_short(rows);
  for (RunResult& row : rows) {
    const auto found = cut.find(at_point_of(row));
    if (found == cut.end() || row.status != RunStatus::ok || row.time_to_target_s) continue;
    const CutShort& how = found->second;
    row.warnings.push_back({"cut_short", "did not reach the target, but its runs ended by " +
                                             seconds(how.ended_s) + ", before " + how.before +
                                             " first reached it (" + seconds(how.first_arrival_s) +
                                             "), so its place is not known: stop by time "
                                             "(/stop/time) to compare them"});
    cut.erase(found);
  }
}

}  // namespace

std::vector<RunResult> ResultsFolder::rows() const {
  std::vector<RunResult> rows;
  for (const RunEntry& run : table_.runs) {
    const RunResult* known = result(run.hash);
    if (known == nullptr) continue;
    rows.push_back(*known);
    RunResult& row = rows.back();
    row.run = run.name;
    row.algorithm = run.label;
    row.replica = run.replica;
    row.seed = run.seed;
    row.point = run.point;
    if (run.before_tuning.empty()) continue;
    const TuningRecord& choice = table_.tuning[run.tuned_by];
    const std::string in_vain = why_in_vain(choice);
    row.tuned_at_edge = choice.at_edge || !in_vain.empty();
    row.tuned_share_of_grid = static_cast<double>(choice.tried) /
                              static_cast<double>(std::max<std::size_t>(1, choice.grid));
    if (choice.is_sampled() && run.replica == 0) {
      row.warnings.push_back({"sampled_grid", "was tuned on a sample of its grid (" +
                                                  std::to_string(choice.tried) + " of " +
                                                  std::to_string(choice.grid) +
                                                  "): better may lie between; more runs "
                                                  "(/tune/runs) try all"});
    }
    // Once for all replicas.
    if (!in_vain.empty() && run.replica == 0) {
      row.warnings.push_back({"tuned_in_vain", in_vain});
    } else if (choice.at_edge && run.replica == 0) {
      row.warnings.push_back({"at_edge", "was tuned to " + choice.chosen_text() +
                                             ", the edge of its grid: better may lie beyond"});
    }
  }
  warn_of_cut_short(rows);
  return rows;
}

ResultsFolder::Claim ResultsFolder::claim(const std::string& hash, bool again) {
  if (!lock_.try_claim(hash)) return Claim::elsewhere;
  if (again) return Claim::ours;
  const std::optional<RunStore::StoredRun> stored = load(hash);
  if (!stored || stored->result.status == RunStatus::failed) return Claim::ours;
  results_[hash] = stored->result;
  lock_.release(hash);
  return Claim::done;
}

bool ResultsFolder::store(const std::string& hash, const Json& description,
                          const RunResult& result) {
  const std::string algorithm = description.at("algorithm").at("name");
  const bool stored = store(hash, {this_program(algorithm), description, result});
  lock_.release(hash);
  return stored;
}

bool ResultsFolder::store(const std::string& hash, const RunStore::StoredRun& run) {
  // Done again, for a trace, it is the same run: what is stored stays as it is.
  const std::optional<RunStore::StoredRun> before = load(hash);
  if (before && !is_better(run.result, before->result)) {
    results_[hash] = before->result;
    return !is_better(before->result, run.result);
  }
  store_.save(hash, run);
  results_[hash] = run.result;
  return true;
}

void ResultsFolder::write_csvs() {
  lock_.exclusively([this] {
    write_plan();
    refresh();
    write_tables();
  });
}

}  // namespace motley
