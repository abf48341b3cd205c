#include "sim/core/input/scenario.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

namespace motley {
namespace {

constexpr std::size_t most_workers = 10'000'000;

}  // namespace

Fields<PartitionSpec> PartitionSpec::fields() {
  Fields<PartitionSpec> f;
  f.add(
      {.name = "kind",
       .doc =
           "what each worker draws from: iid (everybody from the whole set), shards (equal random "
           "parts), dirichlet (uneven label shares), by_label (parts sorted by label)",
       .fallback = "iid",
       .choices = {"iid", "shards", "dirichlet", "by_label"}},
      &PartitionSpec::kind);
  f.add({.name = "alpha",
         .doc = "concentration of the Dirichlet law; small values give uneven label shares",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"dirichlet"}},
        &PartitionSpec::alpha);
  return f;
}

Fields<DataSpec> DataSpec::fields() {
  Fields<DataSpec> f;
  f.add(
      {.name = "kind",
       .doc =
           "fashion_mnist (Debian's files), idx (a folder of IDX files), csv, synthetic (Gaussian "
           "classes made from the seed)",
       .choices = {"fashion_mnist", "idx", "csv", "synthetic"}},
      &DataSpec::kind);
  f.add({.name = "path",
         .doc = "idx: the folder; csv: the training file; relative to the scenario file",
         .kinds = {"idx", "csv"}},
        &DataSpec::path);
  f.add({.name = "test_path",
         .doc = "the test file; when empty, a random fifth of the training file is the test set",
         .fallback = "",
         .kinds = {"csv"}},
        &DataSpec::test_path);
  f.add({.name = "label", .doc = "name of the column that holds the label", .kinds = {"csv"}},
        &DataSpec::label);
  f.add({.name = "train", .doc = "training samples used; all when absent", .minimum = 1},
        &DataSpec::train);
  f.add({.name = "test", .doc = "test samples used; all when absent", .minimum = 1},
        &DataSpec::test);
  f.add({.name = "features",
         .doc = "how many features a sample has",
         .fallback = 20,
         .minimum = 1,
         .kinds = {"synthetic"}},
        &DataSpec::features);
  f.add({.name = "classes",
         .doc = "how many classes there are",
         .fallback = 10,
         .minimum = 2,
         .maximum = 65535,
         .kinds = {"synthetic"}},
        &DataSpec::classes);
  f.add({.name = "separation",
         .doc = "distance between class centres, in standard deviations of a class",
         .fallback = 4.0,
         .minimum = 0,
         .kinds = {"synthetic"}},
        &DataSpec::separation);
  f.add({.name = "order",
         .doc = "shuffled (each worker passes over its samples in a new random order each time) or "
                "independent (drawn with replacement)",
         .fallback = "shuffled",
         .choices = {"shuffled", "independent"}},
        &DataSpec::order);
  f.add({.name = "partition", .doc = "who may draw which samples", .fallback = Json::object()},
        &DataSpec::partition);
  return f;
}

Fields<ModelSpec> ModelSpec::fields() {
  Fields<ModelSpec> f;
  f.add(
      {.name = "kind",
       .doc = "softmax (regression), mlp (ReLU network), quadratic (synthetic, for checks against "
              "theory)",
       .choices = {"softmax", "mlp", "quadratic"}},
      &ModelSpec::kind);
  f.add({.name = "hidden",
         .doc = "sizes of the hidden layers, input side first",
         .minimum = 1,
         .kinds = {"mlp"}},
        &ModelSpec::hidden);
  f.add({.name = "weight_decay",
         .doc = "adds weight_decay/2 times the squared norm of the parameters to the objective",
         .fallback = 0.0,
         .minimum = 0,
         .kinds = {"softmax", "mlp"}},
        &ModelSpec::weight_decay);
  f.add({.name = "dimension",
         .doc = "number of parameters",
         .fallback = 100,
         .minimum = 1,
         .kinds = {"quadratic"}},
        &ModelSpec::dimension);
  f.add({.name = "smoothness",
         .doc = "largest eigenvalue L",
         .fallback = 1.0,
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"quadratic"}},
        &ModelSpec::smoothness);
  f.add({.name = "strong_convexity",
         .doc = "smallest eigenvalue",
         .fallback = 0.01,
         .minimum = 0,
         .kinds = {"quadratic"}},
        &ModelSpec::strong_convexity);
  f.add({.name = "noise",
         .doc = "standard deviation (norm) of the gradient noise of one sample",
         .fallback = 1.0,
         .minimum = 0,
         .kinds = {"quadratic"}},
        &ModelSpec::noise);
  f.add({.name = "samples",
         .doc = "how many samples make an epoch; even, so that the noise cancels over all of them",
         .fallback = 10000,
         .minimum = 2,
         .kinds = {"quadratic"}},
        &ModelSpec::samples);
  return f;
}

Fields<LinkSpec> LinkSpec::fields() {
  Fields<LinkSpec> f;
  f.add({.name = "bandwidth",
         .doc = "capacity, up and down each",
         .dimension = Dimension::rate,
         .minimum = 0,
         .above_minimum = true},
        &LinkSpec::bandwidth_Bps);
  f.add({.name = "latency",
         .doc = "of this link; a message pays the latency of every link it crosses",
         .dimension = Dimension::time,
         .minimum = 0},
        &LinkSpec::latency_s);
  return f;
}

Fields<WorkerClassSpec> WorkerClassSpec::fields() {
  Fields<WorkerClassSpec> f;
  f.add({.name = "name", .doc = "of the class; its workers are called name0, name1, ..."},
        &WorkerClassSpec::name);
  f.add({.name = "count",
         .doc = "how many there are",
         .fallback = 1,
         .minimum = 1,
         .maximum = most_workers},
        &WorkerClassSpec::count);
  f.add({.name = "speed",
         .doc = "flops per second one worker really reaches",
         .dimension = Dimension::speed,
         .minimum = 0,
         .above_minimum = true},
        &WorkerClassSpec::speed_flops);
  f.add({.name = "samples_per_s",
         .doc = "instead of speed: training samples per second one worker reaches",
         .minimum = 0,
         .above_minimum = true},
        &WorkerClassSpec::samples_per_s);
  f.add({.name = "link", .doc = "of each worker, instead of the cluster's"},
        &WorkerClassSpec::link);
  return f;
}

Fields<ServerSpec> ServerSpec::fields() {
  Fields<ServerSpec> f;
  f.add({.name = "speed",
         .doc = "flops per second of the server (an update takes no virtual time)",
         .dimension = Dimension::speed,
         .minimum = 0,
         .above_minimum = true},
        &ServerSpec::speed_flops);
  f.add({.name = "link", .doc = "of the server, instead of the cluster's"}, &ServerSpec::link);
  return f;
}

Fields<ClusterSpec> ClusterSpec::fields() {
  Fields<ClusterSpec> f;
  f.add({.name = "workers",
         .doc = "classes of workers; ranks follow this order",
         .fallback = Json::array()},
        &ClusterSpec::workers);
  f.add({.name = "server", .doc = "the parameter server, for the algorithms that use one"},
        &ClusterSpec::server);
  f.add({.name = "link", .doc = "between each host and the non-blocking switch, full duplex"},
        &ClusterSpec::link);
  f.add(
      {.name = "platform",
       .doc =
           "a SimGrid platform file instead of workers, server and link; hosts take part by their "
           "property role (worker, server); relative to the scenario file"},
      &ClusterSpec::platform);
  return f;
}

Fields<CostSpec> CostSpec::fields() {
  Fields<CostSpec> f;
  f.add(
      {.name = "flops_per_sample",
       .doc =
           "forward and backward of one sample of the modelled network; auto: of the model really "
           "trained",
       .fallback = "auto",
       .dimension = Dimension::work,
       .minimum = 0,
       .above_minimum = true,
       .word = "auto"},
      &CostSpec::flops_per_sample);
  f.add(
      {.name = "model_size",
       .doc =
           "bytes of one model or gradient on the wire; auto: 4 bytes per parameter really trained",
       .fallback = "auto",
       .dimension = Dimension::data,
       .minimum = 1,
       .maximum = 1e15,
       .word = "auto"},
      &CostSpec::model_size_bytes);
  return f;
}

Fields<TargetSpec> TargetSpec::fields() {
  Fields<TargetSpec> f;
  f.add({.name = "accuracy",
         .doc = "reached when the test accuracy is at least this",
         .minimum = 0,
         .maximum = 1,
         .above_minimum = true},
        &TargetSpec::accuracy);
  f.add({.name = "loss", .doc = "reached when the test loss is at most this", .minimum = 0},
        &TargetSpec::loss);
  return f;
}

Fields<StopSpec> StopSpec::fields() {
  Fields<StopSpec> f;
  f.add({.name = "time",
         .doc = "stop at this virtual time",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &StopSpec::time_s);
  f.add({.name = "updates", .doc = "stop after so many updates of the global model", .minimum = 1},
        &StopSpec::updates);
  f.add(
      {.name = "samples", .doc = "stop once so many samples have gone into updates", .minimum = 1},
      &StopSpec::samples);
  f.add({.name = "epochs",
         .doc = "stop once so many passes over the training set have gone into updates",
         .minimum = 0,
         .above_minimum = true},
        &StopSpec::epochs);
  f.add({.name = "at_target", .doc = "stop as soon as the target is reached", .fallback = false},
        &StopSpec::at_target);
  f.add({.name = "diverged_above",
         .doc =
             "a run whose loss exceeds this many times the initial test loss, or is not finite, is "
             "stopped as diverged",
         .fallback = 1000.0,
         .minimum = 1,
         .above_minimum = true},
        &StopSpec::diverged_above);
  return f;
}

Fields<EvaluateSpec> EvaluateSpec::fields() {
  Fields<EvaluateSpec> f;
  f.add(
      {.name = "every",
       .doc =
           "a virtual time (\"3s\"), a number of updates (10), or \"auto\": a hundred points over "
           "the run",
       .fallback = "auto"},
      &EvaluateSpec::every);
  return f;
}

Fields<Scenario> Scenario::fields() {
  Fields<Scenario> f;
  f.add({.name = "$schema", .doc = "for editors; not read", .fallback = ""}, &Scenario::schema);
  f.add({.name = "name", .doc = "of the results folder: letters, digits, '-', '_', '.'"},
        &Scenario::name);
  f.add({.name = "seed",
         .doc = "of everything random: initial model, data order, partition, synthetic data",
         .fallback = 1,
         .minimum = 0},
        &Scenario::seed);
  f.add({.name = "data", .doc = "what is learnt from; not with the quadratic model"},
        &Scenario::data);
  f.add({.name = "model", .doc = "what is really trained"}, &Scenario::model);
  f.add({.name = "cluster", .doc = "the machines and their links"}, &Scenario::cluster);
  f.add(
      {.name = "cost",
       .doc = "what the modelled network costs, so that a small model can stand in for a large one",
       .fallback = Json::object()},
      &Scenario::cost);
  f.add({.name = "network",
         .doc =
             "fluid (max-min sharing, latencies add, nothing else) or tcp (SimGrid's LV08 with its "
             "calibration factors and TCP window)",
         .fallback = "fluid",
         .choices = {"fluid", "tcp"}},
        &Scenario::network);
  f.add({.name = "target", .doc = "what a run should reach; decides the order of the table"},
        &Scenario::target);
  f.add({.name = "stop", .doc = "when a run ends; at least one of time, updates, samples, epochs"},
        &Scenario::stop);
  f.add({.name = "evaluate",
         .doc = "when the model is tested; takes no virtual time",
         .fallback = Json::object()},
        &Scenario::evaluate);
  f.add({.name = "defaults",
         .doc = "parameters for every algorithm that does not give its own",
         .fallback = Json::object()},
        &Scenario::defaults);
  f.add({.name = "algorithms", .doc = "what is compared: objects with a name and parameters"},
        &Scenario::algorithms);
  return f;
}

namespace {

/// Follows the parser and refuses an object that has a key twice: the library would keep one of
/// the values and say nothing.
class UniqueKeys {
 public:
  explicit UniqueKeys(const Place& root) : root_(root) {}

  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        levels_.push_back({next_place(), event == Event::array_start, 0, "", {}});
        break;
      case Event::object_end:
      case Event::array_end:
        levels_.pop_back();
        break;
      case Event::key:
        enter(parsed);
        break;
      case Event::value:
        next_place();
        break;
    }
    return true;
  }

 private:
  struct Level {
    Place place;
    bool is_list;
    std::size_t index;  ///< of a list's next element
    std::string key;    ///< of an object's present member
    std::set<std::string> keys;
  };

  Place next_place() {
    if (levels_.empty()) return root_;
    Level& level = levels_.back();
    return level.is_list ? level.place / level.index++ : level.place / level.key;
  }

  void enter(const std::string& key) {
    Level& level = levels_.back();
    level.key = key;
    if (!level.keys.insert(key).second && !key.starts_with("//")) {
      throw InputError(level.place / key, "is given twice");
    }
  }

  Place root_;
  std::vector<Level> levels_;
};

/// "at line 3, column 5: ..." for a text that is not JSON. Not the library's own position: that has
/// column 0 where a number ends its line.
std::string json_mistake(const std::string& text, const Json::parse_error& e) {
  const std::string read = text.substr(0, e.byte > 0 ? e.byte - 1 : 0);
  const std::string what = e.what();  // "[json.exception...] parse error at line 3, column 5: ..."
  return "at line " + std::to_string(1 + std::count(read.begin(), read.end(), '\n')) + ", column " +
         std::to_string(read.size() - (read.rfind('\n') + 1) + 1) + what.substr(what.find(": "));
}

Json parse_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(file + ": is a folder, not a file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file + ": cannot be read (no such file, or no permission)");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    return Json::parse(text, UniqueKeys({file, ""}));
  } catch (const Json::parse_error& e) {
    throw InputError(file + ": not valid JSON " + json_mistake(text, e));
  } catch (const Json::exception& e) {
    const std::string what = e.what();  // "[json.exception...] number overflow parsing '1e999'"
    throw InputError(file + ": not valid JSON: " + what.substr(what.find("] ") + 2));
  }
}

void apply_override(Json& json, const Override& change) {
  const Place place{"--set", change.pointer};
  try {
    const Json::json_pointer pointer(change.pointer);
    // The library would make whatever is missing on the way, and fill lists with nulls.
    const Json::json_pointer parent = pointer.parent_pointer();
    if (!json.contains(parent)) {
      throw InputError(place,
                       "there is no " + parent.to_string() + " in the scenario to set it in");
    }
    if (json[parent].is_array() && pointer.back() != "-" && !json.contains(pointer)) {
      throw InputError(place, "there is no such element: " + parent.to_string() + " has " +
                                  std::to_string(json[parent].size()) + " (\"-\" appends one)");
    }
    json[pointer] = change.value;
  } catch (const Json::exception&) {
    throw InputError(place, "is not a JSON pointer into the scenario (an example: /stop/time)");
  }
}

void check_name(const std::string& name, const Place& place) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  if (name.empty() || name[0] == '.' || !std::all_of(name.begin(), name.end(), allowed)) {
    throw InputError(place, "must be letters, digits, '-', '_' or '.', not beginning with '.'",
                     Json(name));
  }
}

/// The first host name that both classes have: gpu10 of classes gpu, with 11 workers, and gpu1.
std::string common_host(const WorkerClassSpec& a, const WorkerClassSpec& b) {
  if (!b.name.starts_with(a.name)) return "";
  const std::string digits = b.name.substr(a.name.size());
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  constexpr std::size_t longest = 10;  // longer ones are beyond any count
  if (digits.empty() || digits.size() > longest || digits[0] == '0' ||
      !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return "";
  }
  return std::stoull(digits) * 10 < a.count ? b.name + "0" : "";
}

void check_worker_names(const std::vector<WorkerClassSpec>& workers, const Place& place) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const Place here = place / i / "name";
    check_name(workers[i].name, here);
    if (workers[i].name == "server") {
      throw InputError(here, "must not be 'server', which is the name of the server");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (workers[i].name == workers[j].name) {
        throw InputError(here, "must differ from the other classes' names", Json(workers[i].name));
      }
      const std::string host =
          common_host(workers[i], workers[j]) + common_host(workers[j], workers[i]);
      if (!host.empty()) {
        throw InputError(here, "must be another: " + workers[j].name + " and " + workers[i].name +
                                   " would both have a worker " + host);
      }
    }
  }
}

void check_cluster(const ClusterSpec& cluster, const Place& place) {
  if (cluster.platform) {
    if (!cluster.workers.empty() || cluster.server || cluster.link) {
      throw InputError(place / "platform",
                       "describes the whole cluster: remove workers, server and link");
    }
    return;
  }
  if (cluster.workers.empty()) {
    throw InputError(place / "workers",
                     "must list at least one class of workers, or give \"platform\"");
  }
  check_worker_names(cluster.workers, place / "workers");
  std::size_t total = 0;
  for (std::size_t i = 0; i < cluster.workers.size(); ++i) {
    const WorkerClassSpec& worker = cluster.workers[i];
    const Place here = place / "workers" / i;
    total += worker.count;
    if (total > most_workers) {
      throw InputError(here / "count", "makes more than " + std::to_string(most_workers) +
                                           " workers of all classes together");
    }
    if (worker.speed_flops.has_value() == worker.samples_per_s.has_value()) {
      throw InputError(here, "needs exactly one of \"speed\" and \"samples_per_s\"");
    }
    if (!worker.link && !cluster.link) {
      throw InputError(here, "needs a \"link\", here or in " + place.pointer);
    }
  }
  if (cluster.server && !cluster.server->link && !cluster.link) {
    throw InputError(place / "server", "needs a \"link\", here or in " + place.pointer);
  }
}

void check_evaluate(const EvaluateSpec& evaluate, const Place& place) {
  const Json& every = evaluate.every;
  const std::string must =
      "must be a time with its unit (\"3s\"), a whole number of updates of at least 1, or \"auto\"";
  if (every.is_string() && every.get<std::string>() == "auto") return;
  if (every.is_string()) {
    if (!(parse_quantity(every, Dimension::time, place) > 0)) throw InputError(place, must, every);
    return;
  }
  const double updates = every.is_number() ? every.get<double>() : 0;
  if (!(updates >= 1 && updates == std::floor(updates) && updates < 9e15)) {
    throw InputError(place, must, every);
  }
}

/// What single fields cannot see: keys that depend on each other.
void check_together(const Scenario& s, const Place& root) {
  check_name(s.name, root / "name");
  check_cluster(s.cluster, root / "cluster");
  check_evaluate(s.evaluate, root / "evaluate" / "every");
  const bool quadratic = s.model.kind == ModelSpec::Kind::quadratic;
  if (quadratic && s.data) {
    throw InputError(root / "data", "the quadratic model makes its own data: remove this key");
  }
  if (!quadratic && !s.data) throw InputError(root, "needs \"data\": what is learnt from");
  if (quadratic && s.model.samples % 2 != 0) {
    throw InputError(root / "model" / "samples", "must be even", Json(s.model.samples));
  }
  if (quadratic && s.model.strong_convexity > s.model.smoothness) {
    throw InputError(root / "model" / "strong_convexity", "must be at most the smoothness",
                     Json(s.model.strong_convexity));
  }
  if (s.target) {
    const Place here = root / "target";
    if (s.target->accuracy.has_value() == s.target->loss.has_value()) {
      throw InputError(here, "needs exactly one of \"accuracy\" and \"loss\"");
    }
    if (quadratic && s.target->accuracy) {
      throw InputError(here / "accuracy", "the quadratic model has no accuracy: give \"loss\"");
    }
  }
  if (!s.stop.time_s && !s.stop.updates && !s.stop.samples && !s.stop.epochs) {
    throw InputError(root / "stop",
                     "needs at least one of \"time\", \"updates\", \"samples\", \"epochs\"");
  }
  if (s.stop.at_target && !s.target) {
    throw InputError(root / "stop" / "at_target", "needs a \"target\" to stop at");
  }
  if (s.algorithms.empty()) {
    throw InputError(root / "algorithms", "must list at least one algorithm");
  }
}

}  // namespace

Override parse_override(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.empty() || argument[0] != '/') {
    throw InputError("--set: must be /pointer=JSON, such as /stop/time=\"10s\", got '" + argument +
                     "'");
  }
  const std::string pointer = argument.substr(0, equals);
  const std::string text = argument.substr(equals + 1);
  Json value = Json::parse(text, UniqueKeys({"--set", pointer}), /*allow_exceptions=*/false);
  if (value.is_discarded()) value = text;
  return {pointer, value};
}

LoadedScenario load_scenario(const std::string& file, const std::vector<Override>& overrides) {
  LoadedScenario loaded{file, {}, parse_file(file)};
  if (!loaded.full.is_object()) throw InputError(Place{file, ""}, "must be an object in braces");
  for (const Override& change : overrides) apply_override(loaded.full, change);
  const Place root{file, ""};
  Scenario::fields().read(loaded.full, root, loaded.scenario);
  check_together(loaded.scenario, root);
  return loaded;
}

}  // namespace motley
