#include "sim/study/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <sys/resource.h>

#include "sim/base/digest.hpp"
#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/results/run_warnings.hpp"
#include "sim/study/tuned_parameters.hpp"

namespace motley {
namespace {

std::string beside(const std::string& scenario_file, const std::string& path) {
  return (std::filesystem::path(scenario_file).parent_path() / path).string();
}

/// Without its comments, sorted, whole numbers without a point: what is written otherwise but means
/// the same is the same.
nlohmann::json without_comments(const Json& json) {
  if (json.is_array()) {
    nlohmann::json list = nlohmann::json::array();
    for (const Json& element : json) list.push_back(without_comments(element));
    return list;
  }
  if (json.is_number_float() && std::abs(json.get<double>()) < 1e15 &&
      json.get<double>() == std::floor(json.get<double>())) {
    return json.get<std::int64_t>();
  }
  if (!json.is_object()) return json;
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [key, value] : json.items()) {
    if (!key.starts_with("//")) object[key] = without_comments(value);
  }
  return object;
}

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

bool of_one_class(const Samples& samples) {
  return std::all_of(samples.labels.begin(), samples.labels.end(),
                     [&](std::uint16_t label) { return label == samples.labels.front(); });
}

std::string text_member(const Json& object, const char* key, const Place& place) {
  if (!object.contains(key)) return "";
  if (!object[key].is_string())
    throw InputError(place / key, "must be text in quotes", object[key]);
  return object[key];
}

/// What stands in the scenario's list beside an algorithm's own parameters.
struct AlgorithmEntry {
  std::string name;
  std::optional<std::string> label;
  std::optional<OwnGrids> tune;

  static Fields<AlgorithmEntry> fields() {
    Fields<AlgorithmEntry> f;
    f.add({.name = "name", .doc = "of the algorithm"}, &AlgorithmEntry::name);
    f.add({.name = "label", .doc = "what tables and plots call it; its name when absent"},
          &AlgorithmEntry::label);
    f.add({.name = "tune",
           .doc = "of its own parameters, each with the values to try, beside those that the "
                  "scenario tunes; null leaves one alone"},
          &AlgorithmEntry::tune);
    return f;
  }
};

/// Of an entry, without what stands beside them.
Json own_parameters(const Json& entry) {
  Json parameters = entry;
  for (const char* key : {"name", "label", "tune"}) parameters.erase(key);
  return parameters;
}

}  // namespace

Experiment::Experiment(const std::string& file, const std::vector<Override>& overrides)
    : Experiment(load_scenario(file, overrides), *std::make_unique<SharedDatasets>()) {}

Experiment::Experiment(LoadedScenario loaded, SharedDatasets& datasets)
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
  flops_per_sample_ = s.cost.flops_per_sample.value_or(problem_->flops_per_sample());
  message_bytes_ = static_cast<std::uint64_t>(std::llround(
      s.cost.model_size_bytes.value_or(static_cast<double>(4 * problem_->dimension()))));
  if (s.cluster.platform) {
    const Place place = root / "cluster" / "platform";
    const std::string path = beside(file, *s.cluster.platform);
    if (!std::filesystem::exists(path)) throw InputError(place, "no such file: " + path);
    const std::string why_not = why_not_regular(path);
    if (!why_not.empty()) throw InputError(place, path + ": " + why_not);
    cluster_ = inspect_platform(path, place);
    for (HostPlan& worker : cluster_.workers) worker.noise = s.cluster.noise.value_or(NoiseSpec{});
  } else {
    std::size_t workers = 0;
    for (const WorkerClassSpec& worker : s.cluster.workers) workers += worker.count;
    check_fits_memory(static_cast<double>(workers * sizeof(HostPlan)),
                      "the list of " + std::to_string(workers) + " workers",
                      root / "cluster" / "workers");
    cluster_ = plan_cluster(s.cluster, flops_per_sample_, s.seed);
    constexpr double most = 1e12;  // beyond it the slowest never finish anything
    const double ratio = heterogeneity(worker_speeds(cluster_)).speed_ratio;
    if (!(ratio <= most)) {
      throw InputError(root / "cluster" / "workers",
                       "the slowest worker is more than 1e12 times slower than the fastest: check "
                       "their speeds and spread");
    }
  }
  if (data_) {
    partition_ =
        std::make_unique<Partition>(learning_.data->partition, data_->train.labels, data_->classes,
                                    cluster_.workers.size(), s.seed, root / "data" / "partition");
  } else {
    partition_ = std::make_unique<Partition>(problem_->train_size());
  }
  plan_runs();
}

RunFacts Experiment::facts() const {
  RunFacts facts{{},
                 worker_speeds(cluster_),
                 cluster_.workers.size(),
                 cluster_.servers.size(),
                 problem_->train_size(),
                 flops_per_sample_,
                 scenario().seed,
                 partition_->is_shared()};
  for (const HostPlan& worker : cluster_.workers) facts.names.push_back(worker.name);
  return facts;
}

void Experiment::plan_runs() {
  const Scenario& s = loaded_.scenario;
  const Place root{loaded_.file, ""};
  Json& defaults = loaded_.full["defaults"];
  DefaultsSpec ignored;
  DefaultsSpec::fields().read_given(defaults, root / "defaults", ignored);

  std::set<std::string> labels;
  for (std::size_t i = 0; i < loaded_.scenario.algorithms.size(); ++i) {
    const Place place = root / "algorithms" / i;
    const Json& given = loaded_.scenario.algorithms[i];
    if (!given.is_object() || !given.contains("name")) {
      throw InputError(place, "must be an object with the \"name\" of an algorithm", given);
    }
    const std::string name = text_member(given, "name", place);
    const Place place_of_name = place / "name";
    const AlgorithmInfo& info = find_algorithm(name, place_of_name);
    std::vector<FieldInfo> keys = AlgorithmEntry::fields().infos();
    keys.insert(keys.end(), info.parameters.begin(), info.parameters.end());
    check_keys(keys, given, place);
    RunPlan plan;
    plan.algorithm = info.name;
    plan.label = text_member(given, "label", place);
    if (plan.label.empty()) {
      plan.label = info.name;
      for (int n = 2; labels.contains(plan.label); ++n)
        plan.label = info.name + "_" + std::to_string(n);
    }
    check_name(plan.label, place / "label");
    if (!labels.insert(plan.label).second) {
      throw InputError(place / "label", "must differ from the other algorithms' labels",
                       Json(plan.label));
    }
    plan.place = place;
    plan.grids = grids_of(given, info, s.tune.value_or(TuneSpec()), place);
    plan.parameters = own_parameters(given);
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
  for (const auto& [key, value] : loaded_.full["defaults"].items()) {
    if (!plan.parameters.contains(key) && takes(info, key)) plan.parameters[key] = value;
  }
  const std::unique_ptr<Algorithm> algorithm = info.make(plan.parameters, plan.place, facts());
  if (algorithm->needs_server() && cluster_.servers.empty()) {
    throw InputError(plan.place, info.name + " needs a server: add " +
                                     (cluster_.platform_file.empty()
                                          ? "\"server\" to /cluster"
                                          : "a host with role server to the platform file"));
  }
  if (algorithm->needs_server()) {
    split_model(algorithm->exchange(), problem_->layers(), cluster_, message_bytes_,
                scenario().cost.flops_per_update, plan.place);  // only to see that it can be done
  }
  plan.gradients_per_update = algorithm->gradients_per_update(cluster_.workers.size());
}

RunPlan Experiment::with_values(std::size_t run, const Json& values) const {
  RunPlan plan = runs_[run];
  plan.parameters = own_parameters(scenario().algorithms[run]);
  plan.parameters.update(values);
  complete(plan);
  return plan;
}

std::string Experiment::describe() const {
  std::ostringstream text;
  text << cluster_.workers.size() << " workers (";
  std::vector<std::pair<std::string, std::size_t>> classes;
  for (const HostPlan& worker : cluster_.workers) {
    if (classes.empty() || classes.back().first != worker.class_name) {
      classes.emplace_back(worker.class_name, 0);
    }
    ++classes.back().second;
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    text << (i > 0 ? ", " : "") << classes[i].second << " " << classes[i].first;
  }
  text << "), " << problem_->dimension() << " parameters";
  if (data_) text << ", " << data_->description;
  if (data_ && of_one_class(data_->train)) {
    text << "\nwarning: all training samples are of one class: there is nothing to learn";
  }
  const Heterogeneity uneven = heterogeneity(worker_speeds(cluster_));
  text << "\n"
       << "heterogeneity: speed ratio " << uneven.speed_ratio << ", coefficient of variation "
       << uneven.speed_cv << ", sync efficiency " << uneven.sync_efficiency;
  return text.str();
}

Json Experiment::description_of(const RunPlan& plan) const {
  nlohmann::json description = without_comments(loaded_.full);
  for (const char* key :
       {"$schema", "name", "replicas", "sweep", "defaults", "algorithms", "baseline", "tune"}) {
    description.erase(key);
  }
  if (data_) {
    for (const std::string& key : learning_.data->file_keys()) description["data"].erase(key);
    description["data"]["digest"] = data_digest_;
  }
  if (!cluster_.platform_file.empty()) {
    description["cluster"]["platform"] = digest(contents_of(cluster_.platform_file));
  }
  description["algorithm"] = without_comments(plan.parameters);
  description["algorithm"]["name"] = plan.algorithm;
  return description;
}

RunResult Experiment::run(const RunPlan& plan, unsigned threads,
                          const std::function<void(const Progress&)>& on_progress,
                          const std::string& run_name, const TraceRequest& trace) const {
  Json parameters = plan.parameters;
  const std::unique_ptr<Algorithm> algorithm =
      find_algorithm(plan.algorithm, plan.place).make(parameters, plan.place, facts());
  RunResult result = run(*algorithm, threads, on_progress, run_name, trace);
  const ActingBound bound = algorithm->bound();
  result.warnings = warnings_of(result, {classes(), parameters.value("warm_up", std::uint64_t{0}),
                                         bound.parameter, bound.decision});
  return result;
}

RunResult Experiment::run(Algorithm& algorithm, unsigned threads,
                          const std::function<void(const Progress&)>& on_progress,
                          const std::string& run_name, const TraceRequest& trace) const {
  const auto start = std::chrono::steady_clock::now();
  Simulation simulation({scenario(), cluster_, *problem_, *partition_, order(), flops_per_sample_,
                         message_bytes_, threads, on_progress, trace.window,
                         trace.paje ? (trace.folder / (run_name + ".paje")).string() : ""});
  RunResult result = simulation.run(algorithm);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_s = wall.count();
  result.peak_rss_mb = peak_rss_mb();
  if (trace.window) write_trace(trace, run_name, *simulation.recorder().timeline());
  return result;
}

}  // namespace motley
