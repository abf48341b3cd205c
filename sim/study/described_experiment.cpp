#include "sim/study/described_experiment.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "sim/base/format.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/scenario/event_pace.hpp"
#include "sim/scenario/planned_changes.hpp"
#include "sim/scenario/planned_failures.hpp"
#include "sim/study/experiment.hpp"

namespace motley {
namespace {

bool of_one_class(const Samples& samples) {
  return std::all_of(samples.labels.begin(), samples.labels.end(),
                     [&](std::uint16_t label) { return label == samples.labels.front(); });
}

/// How many workers there are, and of which classes.
void tell_workers(std::ostream& text, const ClusterPlan& cluster) {
  text << counted(cluster.workers.size(), "worker") << " (";
  std::vector<std::pair<std::string, std::size_t>> classes;
  for (const HostPlan& worker : cluster.workers) {
    if (classes.empty() || classes.back().first != worker.class_name) {
      classes.emplace_back(worker.class_name, 0);
    }
    ++classes.back().second;
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    text << (i > 0 ? ", " : "") << classes[i].second << " " << classes[i].first;
  }
  text << ")";
}

void tell(std::ostream& text, const Heterogeneity& uneven) {
  text << "speed ratio " << uneven.speed_ratio << ", coefficient of variation " << uneven.speed_cv
       << ", sync efficiency " << uneven.sync_efficiency;
}

void warn_of_falling_times(std::ostream& text, const std::vector<WorkerClassSpec>& specs) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto fall =
        specs[i].samples_per_s ? specs[i].samples_per_s->falling_time() : std::nullopt;
    if (!fall) continue;
    text << "\nwarning: /cluster/workers/" << i << "/samples_per_s: a batch of " << fall->second
         << " takes less time than one of " << fall->first << ": is that what was measured?";
  }
}

void tell_heterogeneity(std::ostream& text, const Experiment& experiment) {
  text << "\nheterogeneity: ";
  tell(text, heterogeneity(worker_speeds(experiment.cluster())));
  if (experiment.facts().step_times.empty()) return;
  const RunPlan& first = experiment.runs().front();
  text << ", of the largest batches\nheterogeneity with the batches of " << first.label << ": ";
  tell(text, heterogeneity(experiment.facts().speeds_at(first.batches.by_rank())));
}

}  // namespace

std::string described_experiment(const Experiment& experiment) {
  const Scenario& scenario = experiment.scenario();
  const ClusterPlan& cluster = experiment.cluster();
  std::ostringstream text;
  tell_workers(text, cluster);
  if (experiment.problem().is_real()) {
    text << ", " << experiment.problem().dimension() << " parameters";
  } else {
    text << ", nothing is learnt";
  }
  if (const Dataset* data = experiment.data()) {
    text << ", " << data->description;
    if (of_one_class(data->train)) {
      text << "\nwarning: all training samples are of one class: there is nothing to learn";
    }
  }
  warn_of_falling_times(text, scenario.cluster.workers);
  tell_heterogeneity(text, experiment);
  if (const std::string changes = described_changes(cluster); !changes.empty()) {
    text << "\n" << changes;
  }
  const std::string failures = described_failures(cluster, scenario.seed, scenario.stop.time_s);
  if (!failures.empty()) text << "\n" << failures;
  for (const std::string& warning :
       pace_warnings(scenario.cluster, cluster, scenario.stop.time_s)) {
    text << "\nwarning: " << warning;
  }
  for (const RunPlan& plan : experiment.runs()) {
    if (!plan.caution.empty()) text << "\nwarning: " << plan.label << " " << plan.caution;
  }
  return text.str();
}

}  // namespace motley
