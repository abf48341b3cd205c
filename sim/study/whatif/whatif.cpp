#include "sim/study/whatif/whatif.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "sim/base/atomic_file.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/results/bottleneck.hpp"
#include "sim/results/whatif_files.hpp"
#include "sim/scenario/planned_changes.hpp"
#include "sim/scenario/planned_failures.hpp"
#include "sim/study/program_digests.hpp"
#include "sim/study/provenance.hpp"
#include "sim/study/twins.hpp"
#include "sim/study/whatif/whatif_reruns.hpp"

namespace motley {
namespace {

constexpr std::size_t most_workers_rerun = 10'000;
/// Of a whole run, where no part of it will do: some ten seconds each.
constexpr std::uint64_t most_gradients_rerun = 2'000'000;
/// Gradients of a worker below which its run is mostly its start.
constexpr double few_of_worker = 20;
/// Of updates per second, for a note on why less noise is no gain.
constexpr double visible_loss = 0.98;

/// Some five microseconds each: altogether a few seconds of a core, and not fewer than fifty per
/// worker while that is affordable.
double gradients_to_time(std::size_t workers, std::size_t runs) {
  constexpr double of_all_runs = 120'000;
  constexpr double of_worker = 50;
  constexpr double least = 2000;
  constexpr double most = 20'000;
  return std::clamp(
      std::max(of_all_runs / static_cast<double>(runs), of_worker * static_cast<double>(workers)),
      least, most);
}

/// The first replica of every algorithm at every point, or only at the first.
std::vector<std::size_t> runs_to_ask(const Study& study, const ResultsFolder& folder) {
  std::vector<std::size_t> runs;
  const std::vector<RunEntry>& table = study.table().runs;
  const bool first_point_only = asks_first_point_only(study);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const RunResult* result = folder.result(table[i].hash);
    if (table[i].replica != 0 || result == nullptr || result->status == RunStatus::failed) continue;
    if (first_point_only && table[i].point != table[0].point) break;
    if (result->updates > 0) runs.push_back(i);
  }
  return runs;
}

/// What whatif.csv is made from; the same again when nothing has changed.
Json origin_of(const Study& study, const std::vector<std::size_t>& runs) {
  Json list = Json::array();
  for (const std::size_t run : runs) {
    const RunEntry& entry = study.table().runs[run];
    list.push_back({{"run", entry.name},
                    {"hash", entry.hash},
                    {"program", what_decides_results(study.plan(run).algorithm)}});
  }
  return {{"questions", whatif_digest()}, {"runs", list}};
}

void remove_whatif(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / whatif_origin_name, ignored);
  std::filesystem::remove(folder / whatif_csv_name, ignored);
}

/// Whatever has become of it since.
bool is_made_from(const std::filesystem::path& folder, const Json& origin) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / whatif_csv_name, ignored)) return false;
  if (!std::filesystem::exists(folder / whatif_origin_name, ignored)) return false;
  try {
    Json made_from = parse_json_file((folder / whatif_origin_name).string());
    if (made_from.is_object()) made_from.erase(whatif_table_key);
    return made_from == origin;
  } catch (const InputError&) {
    return false;  // damaged: it is made anew
  }
}

/// Updates; less than 0 for an algorithm without one.
double warm_up_of(const Json& parameters) {
  const Json warm_up = parameters.value("warm_up", Json());
  return warm_up.is_number() ? warm_up.get<double>() : -1;
}

/// The first iterations of a run are not what the rest of it is like, if they are the lesser part.
RunPlan without_warm_up(RunPlan plan, std::uint64_t timed, std::uint64_t updates) {
  const double warm_up = warm_up_of(plan.parameters);
  if (timed != updates && warm_up >= 0 && 2 * warm_up < static_cast<double>(updates)) {
    plan.parameters["warm_up"] = 0;
  }
  return plan;
}

/// Whether workers that noise tells apart would be alike without it.
bool would_be_alike(const Experiment& experiment, const Change& change) {
  if (change.name != "no_noise" || !change.apply) return false;
  ChangedCluster changed{experiment.cluster(), 0, 0};
  change.apply(changed);
  return count_twins(changed.plan) > 0;
}

bool uses_server(const Experiment& experiment, const RunPlan& plan) {
  Json parameters = plan.parameters;
  return find_algorithm(plan.algorithm, plan.place)
      .make(parameters, plan.place, experiment.facts())
      ->needs_server();
}

double samples_per_s(const Throughput& t) {
  return static_cast<double>(t.samples) / t.virtual_s;
}

/// The cluster as it is comes first of every run.
void fill_in_gains(std::vector<WhatIf>& rows) {
  std::optional<Throughput> as_is;
  for (WhatIf& row : rows) {
    if (row.change == "as_is") as_is = row.throughput;
    if (as_is && row.throughput) {
      row.gain = row.throughput->updates_per_s() / as_is->updates_per_s();
    }
    // In step they do less of everything. Fewer updates of more samples have another reason, such as
    // other groups.
    const bool does_less = row.gain && *row.gain < visible_loss &&
                           samples_per_s(*row.throughput) < visible_loss * samples_per_s(*as_is);
    if (row.note == lockstep_note && !does_less) row.note.clear();
  }
}

/// Of the changes tried for one algorithm at one point.
void name_what_decides(std::span<WhatIf> asked) {
  std::vector<Gain> gains;
  for (const WhatIf& row : asked) {
    gains.push_back({row.change, row.gain.value_or(1), {}, row.why_not});
  }
  const std::vector<Gain> named = worth_naming(gains);
  for (std::size_t i = 0; i < named.size(); ++i) {
    WhatIf& row = *std::ranges::find(asked, named[i].change, &WhatIf::change);
    row.named = i + 1;
    row.is_bottleneck = i == 0 && improves_something(row.change);
  }
}

void name_what_decides(std::vector<WhatIf>& rows) {
  for (auto first = rows.begin(); first != rows.end();) {
    const auto next = std::find_if(first + 1, rows.end(),
                                   [](const WhatIf& row) { return row.change == "as_is"; });
    name_what_decides(std::span(first, next));
    first = next;
  }
}

/// What is asked of the runs, and how it is found out. Rows that are not timed say why.
struct Questions {
  std::vector<WhatIf> rows;
  std::vector<PlannedRerun> reruns;
};

Questions questions_about(const Study& study, const ResultsFolder& folder,
                          const std::vector<std::size_t>& runs) {
  Questions asked;
  for (const std::size_t run : runs) {
    const RunEntry& entry = study.table().runs[run];
    const Experiment& experiment = study.experiment(run);
    const RunResult& result = *folder.result(entry.hash);
    // A part of a run says nothing of the rest where the cluster changes or machines fail.
    const bool whole =
        changes_with_time(experiment.cluster()) || has_failures(experiment.cluster());
    const std::uint64_t updates =
        whole ? result.updates : updates_to_time(result, study.plan(run).parameters, runs.size());
    const RunPlan plan = without_warm_up(study.plan(run), updates, result.updates);
    for (const Change& change : changes_for(experiment, uses_server(experiment, plan))) {
      asked.rows.push_back({entry.label, entry.point, change.name, {}, {}, change.why_not});
      WhatIf& row = asked.rows.back();
      if (experiment.cluster().workers.size() > most_workers_rerun) {
        row.why_not = "not with more than " + std::to_string(most_workers_rerun) + " workers";
        break;
      }
      if (change.name == "as_is" && are_few(updates, result)) row.note = few_updates_note;
      if (would_be_alike(experiment, change)) row.note = lockstep_note;
      if (whole && result.gradients > most_gradients_rerun) {
        row.why_not = "not with a cluster that changes or fails and more than " +
                      std::to_string(most_gradients_rerun) + " gradients";
        break;
      }
      if (!change.apply) continue;
      asked.reruns.push_back(
          {asked.rows.size() - 1, run, [plan, change, updates](const Experiment& its) {
             return timing_rerun(its, plan, change, updates);
           }});
    }
  }
  return asked;
}

}  // namespace

bool asks_first_point_only(const Study& study) {
  const auto asked = std::ranges::count(study.table().runs, 0U, &RunEntry::replica);
  return static_cast<std::size_t>(asked) > most_whatif_runs;
}

bool are_few(std::uint64_t updates, const RunResult& result) {
  const double part = static_cast<double>(updates) / static_cast<double>(result.updates);
  return part * static_cast<double>(result.gradients) <
         few_of_worker * static_cast<double>(result.worker_count());
}

std::uint64_t updates_to_time(const RunResult& result, const Json& parameters, std::size_t runs) {
  if (result.gradients == 0) return result.updates;
  constexpr double fewest = 20;
  const auto made = static_cast<double>(result.updates);
  const auto workers = static_cast<double>(result.worker_count());
  const double per_update = static_cast<double>(result.gradients) / made;
  double enough =
      std::max(fewest, std::ceil(gradients_to_time(result.worker_count(), runs) / per_update));
  const Json local_steps = parameters.value("local_steps", Json());
  if (local_steps.is_number() && per_update < 2) {
    // Every step counts as an update, and who has made them all waits: whole rounds, each with the
    // update that ends it.
    const double round = local_steps.get<double>() * workers + 1;
    enough = std::ceil(enough / round) * round;
  }
  // The start of a run is not what the rest is like. One that ended in its warm-up has had no rest.
  const bool in_warm_up = 2 * warm_up_of(parameters) >= made;
  const bool goes_on = are_few(result.updates, result) && !in_warm_up;
  return static_cast<std::uint64_t>(goes_on ? enough : std::min(made, enough));
}

bool update_whatif(const Study& study, const ResultsFolder& folder, unsigned jobs,
                   const WhatIfEvents& events) {
  const std::vector<std::size_t> runs = runs_to_ask(study, folder);
  Json origin = origin_of(study, runs);
  if (is_made_from(folder.path(), origin) && why_whatif_not_as_written(folder.path()).empty()) {
    return true;
  }
  remove_whatif(folder.path());
  Questions asked = questions_about(study, folder, runs);
  events.begins(runs.size());
  const std::size_t total = asked.reruns.size();
  const auto timed = [&](std::size_t done) { events.timed(done, total); };
  if (!do_reruns(study, asked.reruns, asked.rows, jobs, timed, events.should_interrupt))
    return false;
  fill_in_gains(asked.rows);
  name_what_decides(asked.rows);
  std::string csv = whatif_table().header(study.table().axes);
  for (const WhatIf& row : asked.rows) csv += whatif_table().line(row);
  write_atomically(folder.path() / whatif_csv_name, csv);
  origin[whatif_table_key] = digest(csv);
  write_atomically(folder.path() / whatif_origin_name, origin.dump(2) + "\n");
  return true;
}

std::string remove_outdated_whatif(const Study& study, const ResultsFolder& folder) {
  const bool is_of_these =
      is_made_from(folder.path(), origin_of(study, runs_to_ask(study, folder)));
  const std::string damage = why_whatif_not_as_written(folder.path());
  if (!is_of_these || !damage.empty()) remove_whatif(folder.path());
  return is_of_these ? damage : "";
}

}  // namespace motley
