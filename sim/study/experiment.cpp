#include "sim/study/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <sys/resource.h>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/engine/model/model_split.hpp"
#include "sim/engine/model/modelled_layers.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/time_only.hpp"
#include "sim/results/run_warnings.hpp"
#include "sim/scenario/planned_changes.hpp"
#include "sim/scenario/planned_failures.hpp"
#include "sim/study/algorithm_entry.hpp"
#include "sim/study/canonical_json.hpp"
#include "sim/study/planned_batches.hpp"
#include "sim/study/plugins.hpp"
#include "sim/study/tuning/tuned_parameters.hpp"
#include "sim/study/twins.hpp"

namespace motley {
namespace {

std::string beside(const std::string& scenario_file, const std::string& path) {
  return (std::filesystem::path(scenario_file).parent_path() / path).string();
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// The window that is asked for, which may lie around the first failure.
std::optional<TraceWindow> window_of(const TraceRequest& trace, const ClusterPlan& cluster,
                                     std::uint64_t seed) {
  if (!trace.window || !trace.around_failure_s) return trace.window;
  TraceWindow window = *trace.window;
  const std::optional<double> at = first_failure_s(cluster, seed);
  if (!at) return window;  // with another seed something fails
  window.from_s = std::max(0.0, *at - *trace.around_failure_s);
  window.to_s = *at + *trace.around_failure_s;
  return window;
}

LoadedScenario load_with_plugins(const std::string& file, const std::vector<Override>& overrides) {
  Json scenario = read_scenario(file, overrides);
  load_plugins_of(scenario, file);
  return check_scenario(file, std::move(scenario));
}

/// Nothing that is learnt, large enough to be cut where the modelled architecture is: each of its layers may
/// be cut for many servers.
std::unique_ptr<Problem> time_only_in_parts(const Problem& problem, const LayerProfile& profile) {
  constexpr std::size_t of_each_layer = 64;
  return std::make_unique<TimeOnly>(
      problem.train_size(), std::vector<Layer>{{of_each_layer * profile.layers.size(), 0, 0}});
}

}  // namespace

Experiment::Experiment(const std::string& file, const std::vector<Override>& overrides)
    : Experiment(load_with_plugins(file, overrides), *std::make_unique<SharedDatasets>(),
                 *std::make_unique<SharedPlatforms>()) {}

Experiment::Experiment(LoadedScenario loaded, SharedDatasets& datasets, SharedPlatforms& platforms)
    : loaded_(std::move(loaded)), learning_(read_learning(loaded_)) {
  const Scenario& s = loaded_.scenario;
  const std::string& file = loaded_.file;
  const Place root{file, ""};
  if (learning_.data) {
    const SharedDatasets::Entry entry =
        datasets.get(loaded_.full["data"], *learning_.data, s.seed, root / "data");
    data_ = entry.data;
    data_digest_ = entry.digest;
  }
  problem_ = learning_.model->make(data_.get(), s.seed);
  if (s.cost.profile) {
    flops_per_sample_ = s.cost.profile->flops_per_sample();
    message_bytes_ = s.cost.profile->bytes();
    if (!problem_->is_real()) problem_ = time_only_in_parts(*problem_, *s.cost.profile);
  } else {
    flops_per_sample_ = s.cost.flops_per_sample.value_or(problem_->flops_per_sample());
    message_bytes_ = static_cast<std::uint64_t>(std::llround(
        s.cost.model_size_bytes.value_or(static_cast<double>(4 * problem_->dimension()))));
  }
  if (s.cluster.platform) {
    const SharedPlatforms::Entry& platform =
        platforms.get(beside(file, *s.cluster.platform), root / "cluster" / "platform");
    cluster_ = platform.cluster;
    platform_digest_ = platform.digest;
    for (HostPlan& worker : cluster_.workers) worker.noise = s.cluster.noise.value_or(NoiseSpec{});
  } else {
    plan_cluster_of_classes();
  }
  plan_what_changes(platforms);
  if (s.cluster.failures) {
    assign_failures(*s.cluster.failures, cluster_, root / "cluster" / "failures");
  } else if (const HostPlan* host = first_that_fails(cluster_)) {
    throw InputError(root / "cluster",
                     "needs \"failures\": the state_file of host " + host->name +
                         " switches it off, and it must be said when the others notice, such as "
                         "{\"detect_after\": \"5s\"}");
  }
  if (data_) {
    Partition::check(learning_.data->partition, data_->train.labels.size(), cluster_.workers.size(),
                     root / "data" / "partition", data_->owner_count);
  }
  learning_.model->check_workers(cluster_.workers.size(), root / "model");
  facts_ = {{},
            {},
            cluster_.workers.size(),
            cluster_.servers.size(),
            problem_->train_size(),
            flops_per_sample_,
            s.seed,
            data_ ? learning_.data->partition.kind == PartitionSpec::Kind::iid
                  : !learning_.model->has_different_workers()};
  facts_.parameters = problem_->is_real() ? problem_->dimension() : 0;
  describe_workers(cluster_, facts_);
  plan_runs();

  Json described = loaded_.full;
  for (const char* key : {"$schema", "name", "replicas", "sweep", "defaults", "algorithms",
                          "baseline", "tune", "plugins", "emulate"}) {
    described.erase(key);
  }
  if (!data_digest_.empty()) {
    for (const std::string& key : learning_.data->file_keys()) described["data"].erase(key);
    described["data"]["digest"] = data_digest_;
  }
  if (!platform_digest_.empty()) described["cluster"]["platform"] = platform_digest_;
  if (!trace_digest_.empty()) {
    Json& trace = described["cluster"]["trace"];
    (trace.is_object() ? trace["file"] : trace) = trace_digest_;
  }
  // A section that a plug-in reads is decided by that library, too.
  if (data_) {
    const LoadedPlugin* plugin = plugin_of_data(described["data"].value("kind", ""));
    if (plugin != nullptr) described["data"]["plugin"] = plugin->digest;
  }
  if (const LoadedPlugin* plugin = plugin_of_model(described["model"].value("kind", ""))) {
    described["model"]["plugin"] = plugin->digest;
  }
  described["algorithm"] = Json();  // its place in the order
  described_ = canonical(described);
}

void Experiment::plan_cluster_of_classes() {
  const Scenario& s = scenario();
  std::size_t workers = 0;
  for (const WorkerClassSpec& worker : s.cluster.workers) workers += worker.count;
  check_fits_memory(static_cast<double>(workers * sizeof(HostPlan)),
                    "the list of " + std::to_string(workers) + " workers",
                    Place{loaded_.file, ""} / "cluster" / "workers");
  cluster_ = plan_cluster(s.cluster, flops_per_sample_, s.seed);
  check_speeds(cluster_);
}

void Experiment::plan_what_changes(SharedPlatforms& platforms) {
  const Scenario& s = scenario();
  const Place place = Place{loaded_.file, ""} / "cluster";
  const SpeedTrace* trace = nullptr;
  if (s.cluster.trace) {
    trace = &platforms.trace(beside(loaded_.file, s.cluster.trace->file), place / "trace");
    trace_digest_ = trace->digest;
  }
  plan_changes(s.cluster, trace, flops_per_sample_, s.network, place, cluster_);
}

void Experiment::check_speeds(const ClusterPlan& cluster) const {
  constexpr double most = 1e12;  // beyond it the slowest never finish anything
  const double ratio = heterogeneity(worker_speeds(cluster)).speed_ratio;
  if (ratio <= most) return;
  throw InputError(Place{loaded_.file, ""} / "cluster" / "workers",
                   "the slowest worker is more than 1e12 times slower than the fastest: check "
                   "their speeds and spread");
}

bool Experiment::draws_speeds() const {
  return std::ranges::any_of(scenario().cluster.workers, [](const WorkerClassSpec& worker) {
    return worker.spread && worker.spread->is_random();
  });
}

void Experiment::check_seed(std::uint64_t seed) const {
  if (draws_speeds()) check_speeds(plan_cluster(scenario().cluster, flops_per_sample_, seed));
}

const Partition& Experiment::partition() const {
  if (!partition_ && data_) {
    partition_ =
        std::make_unique<Partition>(learning_.data->partition, data_->train.labels, data_->classes,
                                    cluster_.workers.size(), scenario().seed, data_->owners);
  } else if (!partition_ && learning_.model->has_different_workers()) {
    const std::vector<std::uint16_t> kinds = problem_->kinds();
    partition_ = std::make_unique<Partition>(PartitionSpec{PartitionSpec::Kind::by_label}, kinds, 0,
                                             cluster_.workers.size(), scenario().seed);
  } else if (!partition_) {
    partition_ = std::make_unique<Partition>(problem_->train_size());
  }
  return *partition_;
}

void Experiment::plan_runs() {
  const Scenario& s = loaded_.scenario;
  const Place root{loaded_.file, ""};
  Json& defaults = loaded_.full["defaults"];
  DefaultsSpec ignored;
  fields_of<DefaultsSpec>().read_given(defaults, root / "defaults", ignored);

  if (s.tune) check_known(*s.tune, s.algorithms);
  std::set<std::string> labels;
  for (std::size_t i = 0; i < loaded_.scenario.algorithms.size(); ++i) {
    const Place place = root / "algorithms" / i;
    const Json& given = loaded_.scenario.algorithms[i];
    AlgorithmEntry entry = read_algorithm_entry(given, place, labels);
    RunPlan plan;
    plan.algorithm = entry.info->name;
    plan.label = std::move(entry.label);
    plan.place = place;
    plan.grids = grids_of(given, *entry.info, s.tune.value_or(TuneSpec()), place);
    plan.parameters = std::move(entry.parameters);
    for (const TuneGrid& grid : plan.grids)
      plan.parameters[grid.parameter] = grid.list.values.front();
    complete(plan);
    Json full = {{"name", plan.algorithm}, {"label", plan.label}};
    // Beside what is tuned all stays as it was written: defaults may depend on the values chosen.
    full.update(plan.grids.empty() ? plan.parameters : given);
    loaded_.full["algorithms"][i] = full;
    runs_.push_back(std::move(plan));
  }
  if (s.tune) check_each_is_tuned(*s.tune, runs_, loaded_.full["defaults"]);
  if (!labels.contains(baseline())) {
    throw InputError(root / "baseline",
                     "must be the label of an algorithm" +
                         did_you_mean(baseline(), {labels.begin(), labels.end()}) +
                         ", there are: " + listed(labels),
                     Json(baseline()));
  }
  loaded_.full["baseline"] = baseline();
}

void Experiment::complete(RunPlan& plan) const {
  const Place place_of_name = plan.place / "name";
  const AlgorithmInfo& info = find_algorithm(plan.algorithm, place_of_name);
  const bool has_own_batches = plan.parameters.contains("batch_size");
  for (const auto& [key, value] : loaded_.full["defaults"].items()) {
    if (!plan.parameters.contains(key) && takes(info, key)) plan.parameters[key] = value;
  }
  const Place place_of_defaults = Place{loaded_.file, ""} / "defaults";
  plan.batches = planned_batches(plan.parameters, facts(),
                                 (has_own_batches ? plan.place : place_of_defaults) / "batch_size");
  const std::unique_ptr<Algorithm> algorithm = info.make(plan.parameters, plan.place, facts());
  if (algorithm->needs_server() && cluster_.servers.empty()) {
    throw InputError(plan.place, info.name + " needs a server: add " +
                                     (cluster_.platform_file.empty()
                                          ? "\"server\" to /cluster"
                                          : "a host with role server to the platform file"));
  }
  if (algorithm->needs_server()) {
    split_model(algorithm->exchange(),
                modelled_layers(scenario().cost, *problem_, flops_per_sample_),
                problem_->dimension(), cluster_, message_bytes_, scenario().cost.flops_per_update,
                plan.place);  // only to see that it can be done
  }
  if (algorithm->exchange().bucket_bytes && scenario().cluster.failures) {
    throw InputError(plan.place / "bucket_size",
                     "cannot be combined with /cluster/failures: what a failure does to a gradient "
                     "that is half averaged is not modelled");
  }
  if (algorithm->exchange().compress.encode_flops &&
      algorithm->exchange().overlap == ExchangeSpec::Overlap::layers) {
    throw InputError(plan.place / "compress" / "encode_flops",
                     "cannot be combined with overlap = layers: what encoding costs is known of "
                     "whole gradients only");
  }
  plan.caution = caution_of(*algorithm);
  plan.gradients_per_update = algorithm->gradients_per_update(cluster_.workers.size());
  plan.workers_at_work = cluster_.workers.size();
  if (algorithm->workers_begin_with_a_model()) {
    plan.workers_at_work = std::min(plan.workers_at_work,
                                    static_cast<std::size_t>(std::ceil(plan.gradients_per_update)));
  }
}

std::string Experiment::caution_of(const Algorithm& algorithm) const {
  std::string own = algorithm.caution();
  if (algorithm.exchange().overlap != ExchangeSpec::Overlap::layers ||
      modelled_layers(scenario().cost, *problem_, flops_per_sample_).size() > 1) {
    return own;
  }
  return (own.empty() ? "" : own + "; it ") +
         "has no use for overlap = layers, because its messages hold a single layer: give "
         "/cost/profile or "
         "another /model, or leave overlap out";
}

RunPlan Experiment::with_values(std::size_t run, const Json& values) const {
  RunPlan plan = runs_[run];
  plan.parameters = own_parameters(scenario().algorithms[run]);
  plan.parameters.update(values);
  complete(plan);
  return plan;
}

std::size_t Experiment::classes() const {
  return data_ ? data_->classes : 0;
}

Json Experiment::description_of(const RunPlan& plan) const {
  Json description = described_;
  Json& algorithm = description["algorithm"];
  algorithm = plan.parameters;
  algorithm["name"] = plan.algorithm;
  algorithm = canonical(algorithm);
  return description;
}

std::unique_ptr<Algorithm> Experiment::algorithm_of(const RunPlan& plan) const {
  Json parameters = plan.parameters;
  return find_algorithm(plan.algorithm, plan.place).make(parameters, plan.place, facts());
}

std::vector<RunWarning> Experiment::warnings_of(const RunPlan& plan,
                                                const RunResult& result) const {
  Json parameters = plan.parameters;
  const std::unique_ptr<Algorithm> algorithm =
      find_algorithm(plan.algorithm, plan.place).make(parameters, plan.place, facts());
  const ActingBound bound = algorithm->bound();
  RunSetting setting{0,
                     0,
                     parameters.value("warm_up", std::uint64_t{0}),
                     bound.parameter,
                     bound.decision,
                     count_twins(cluster_),
                     caution_of(*algorithm)};
  if (data_ && data_->test.size() > 0) {
    std::vector<std::size_t> counts(data_->classes);
    for (const std::uint16_t label : data_->test.labels) ++counts[label];
    setting.test_samples = data_->test.size();
    setting.chance = static_cast<double>(*std::ranges::max_element(counts)) /
                     static_cast<double>(setting.test_samples);
  }
  return motley::warnings_of(result, setting);
}

RunResult Experiment::run(const RunPlan& plan, unsigned threads,
                          const std::function<void(const Progress&)>& on_progress,
                          const std::string& run_name, const TraceRequest& trace) const {
  const std::unique_ptr<Algorithm> algorithm = algorithm_of(plan);
  RunResult result = run(*algorithm, threads, on_progress, run_name, trace);
  result.warnings = warnings_of(plan, result);
  return result;
}

SimulationSetup Experiment::setup(unsigned threads,
                                  const std::function<void(const Progress&)>& on_progress,
                                  const std::string& run_name, const TraceRequest& trace) const {
  return {scenario(),
          cluster_,
          *problem_,
          partition(),
          order(),
          flops_per_sample_,
          message_bytes_,
          threads,
          on_progress,
          window_of(trace, cluster_, scenario().seed),
          [&](const Timeline& timeline) { write_trace(trace, run_name, timeline); },
          trace.paje ? (trace.folder / (run_name + ".paje")).string() : "",
          learning_.augment()};
}

RunResult Experiment::run(Algorithm& algorithm, unsigned threads,
                          const std::function<void(const Progress&)>& on_progress,
                          const std::string& run_name, const TraceRequest& trace) const {
  const auto start = std::chrono::steady_clock::now();
  RunResult result = simulate(setup(threads, on_progress, run_name, trace), algorithm);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_s = wall.count();
  result.peak_rss_mb = peak_rss_mb();
  return result;
}

}  // namespace motley
