#include "sim/study/limits.hpp"

#include <algorithm>
#include <map>

#include "sim/base/atomic_file.hpp"
#include "sim/learning/models/estimated_constants.hpp"
#include "sim/results/statistics/comparison.hpp"

namespace motley {
namespace {

/// Of every worker, the time of a gradient.
std::vector<double> taus_of(const Experiment& experiment, const RunPlan& plan) {
  const RunFacts& facts = experiment.facts();
  const std::vector<std::size_t> batches = plan.batches.by_rank();
  const std::vector<double> speeds = facts.speeds_at(batches);
  std::vector<double> taus;
  for (std::size_t i = 0; i < facts.workers; ++i) {
    taus.push_back(static_cast<double>(batches[i]) * facts.flops_per_sample / speeds[i]);
  }
  return taus;
}

/// Whether a run decided on other batches than the scenario gives.
bool chooses_batches(const ComparisonRow& row, const RunPlan& plan) {
  return std::ranges::any_of(row.runs, [&](const RunResult* run) {
    return std::ranges::any_of(run->decisions, [&](const Decision& decision) {
      return decision.quantity == "batch_size" &&
             decision.value != static_cast<double>(plan.batches[decision.rank]);
    });
  });
}

/// Samples per second of all workers, each with the batch that is best for it. None has more samples than
/// the sum of the scenario's batches, which is kept, nor than fit.
double most_samples_per_s(const RunFacts& facts, std::size_t sum_of_batches) {
  std::map<std::pair<const MeasuredThroughput*, std::size_t>, std::size_t> best_batches;
  const auto best_batch = [&](const StepTime& step, std::size_t most) {
    if (!step.measured) return most;  // an overhead counts the less, the larger the batch is
    std::size_t& best = best_batches[{step.measured.get(), most}];
    if (best > 0) return best;
    double best_speed = 0;
    for (std::size_t n = 1; n <= most; ++n) {
      const double speed = step.speed_at(n, 1, 1);
      if (speed <= best_speed) continue;
      best_speed = speed;
      best = n;
    }
    return best;
  };
  std::vector<std::size_t> batches(facts.workers, sum_of_batches);
  for (std::size_t i = 0; i < facts.step_times.size(); ++i) {
    const std::optional<std::size_t> fits =
        facts.max_batches.empty() ? std::nullopt : facts.max_batches[i];
    const std::size_t most = std::min(fits.value_or(sum_of_batches), sum_of_batches);
    batches[i] = best_batch(facts.step_times[i].second, most);
  }
  double sum = 0;
  for (const double speed : facts.speeds_at(batches)) sum += speed / facts.flops_per_sample;
  return sum;
}

template <class Figure>
std::optional<double> mean_rate(const ComparisonRow& row, Figure figure) {
  double sum = 0;
  double count = 0;
  for (const RunResult* run : row.runs) {
    if (run->status == RunStatus::failed || run->virtual_s <= 0) continue;
    sum += static_cast<double>(figure(*run)) / run->virtual_s;
    count += 1;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

/// Of the first run that did not fail.
void find_narrowest_link(const ComparisonRow& compared, LimitRow& row) {
  const auto run = std::ranges::find_if(compared.runs, [](const RunResult* r) {
    return r->status != RunStatus::failed && r->updates > 0;
  });
  if (run == compared.runs.end()) return;
  double longest_s = 0;
  for (const LinkResult& link : (*run)->links) {
    const double time_s = link.bytes / link.bandwidth_Bps;
    if (time_s <= longest_s) continue;
    longest_s = time_s;
    row.narrowest_link = link.name;
    row.link_updates_per_s = static_cast<double>((*run)->updates) / time_s;
  }
}

/// Nothing where theory has nothing to say.
class TheoryOfRuns {
 public:
  std::optional<LimitRow::Theory> of(const Experiment& experiment, const RunPlan& plan,
                                     const std::vector<double>& taus) {
    const std::optional<TargetSpec>& target = experiment.scenario().target;
    if (!target || !target->loss || !experiment.problem().is_real()) return std::nullopt;
    const std::optional<ProblemConstants> known = experiment.problem().constants();
    const ProblemConstants& all = known ? *known : estimated(experiment);
    LimitRow::Theory theory;
    theory.constants = known ? "known" : "estimated";
    theory.smoothness = all.smoothness;
    theory.gap = all.gap;
    const double mean_batch =
        static_cast<double>(plan.batches.sum()) / static_cast<double>(taus.size());
    theory.variance = all.variance / mean_batch;
    theory.epsilon = 2 * all.smoothness * *target->loss;
    if (!(theory.epsilon > 0)) return std::nullopt;
    const Difficulty difficulty{all.smoothness * all.gap / theory.epsilon,
                                theory.variance / theory.epsilon};
    theory.same = optimal_time(taus, difficulty);
    theory.different_s = optimal_time_of_different_data(taus, difficulty);
    theory.sync_s = synchronous_time(taus, difficulty);
    return theory;
  }

 private:
  const ProblemConstants& estimated(const Experiment& experiment) {
    Json of_problem = Json::object();
    for (const char* key : {"model", "data", "seed"}) {
      if (experiment.full().contains(key)) of_problem[key] = experiment.full()[key];
    }
    const auto [found, is_new] = estimates_.try_emplace(of_problem.dump());
    if (is_new) {
      found->second = estimated_constants(experiment.problem(), experiment.scenario().seed);
    }
    return found->second;
  }

  std::map<std::string, ProblemConstants> estimates_;  // by what they are of
};

/// All that follows from the times of gradients of the scenario's batches.
void limit_by_batches(const Experiment& experiment, const RunPlan& plan, TheoryOfRuns& theory,
                      LimitRow& row) {
  const std::vector<double> taus = taus_of(experiment, plan);
  double gradients_per_s = 0;
  for (std::size_t i = 0; i < taus.size(); ++i) {
    gradients_per_s += 1 / taus[i];
    row.samples_per_s += static_cast<double>(plan.batches[i]) / taus[i];
  }
  row.gradients_per_s = gradients_per_s;
  row.sync_updates_per_s = 1 / *std::ranges::max_element(taus);
  row.theory = theory.of(experiment, plan, taus);
}

}  // namespace

std::vector<LimitRow> limits_of(const Study& study, const std::vector<RunResult>& results) {
  std::map<std::string, std::size_t> first_run;  // of an algorithm at a point
  const auto key = [](const std::string& algorithm, const std::vector<Json>& point) {
    return Json(point).dump() + algorithm;
  };
  const std::vector<RunEntry>& entries = study.table().runs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    first_run.try_emplace(key(entries[i].label, entries[i].point), i);
  }
  TheoryOfRuns theory;
  std::vector<LimitRow> rows;
  for (const ComparisonRow& compared : compare(results, study.experiment(0).baseline())) {
    const auto run = first_run.find(key(compared.algorithm, compared.point));
    if (run == first_run.end()) continue;
    const Experiment& experiment = study.experiment(run->second);
    const RunPlan plan = study.plan(run->second);
    LimitRow row{compared.algorithm, compared.point};
    if (chooses_batches(compared, plan)) {
      row.samples_per_s = most_samples_per_s(experiment.facts(), plan.batches.sum());
    } else {
      limit_by_batches(experiment, plan, theory, row);
    }
    find_narrowest_link(compared, row);
    row.measured_samples_per_s = mean_rate(compared, [](const RunResult& r) { return r.samples; });
    row.measured_updates_per_s = mean_rate(compared, [](const RunResult& r) { return r.updates; });
    if (compared.time_to_target_s) row.time_to_target_s = compared.time_to_target_s->value;
    rows.push_back(std::move(row));
  }
  return rows;
}

void write_limits(const Study& study, const ResultsFolder& folder,
                  const std::vector<LimitRow>& rows) {
  std::string csv = limits_table().header(study.table().axes);
  for (const LimitRow& row : rows) csv += limits_table().line(row);
  write_atomically(folder.path() / (limits_table().info().name + ".csv"), csv);
}

}  // namespace motley
