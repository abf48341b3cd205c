#include "sim/study/study.hpp"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <set>
#include <sstream>

#include "sim/base/digest.hpp"
#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"
#include "sim/base/text.hpp"
#include "sim/scenario/value_list.hpp"
#include "sim/study/described_experiment.hpp"
#include "sim/study/expected_cost.hpp"
#include "sim/study/plugins.hpp"

namespace motley {
namespace {

/// So that the stored scenario can be run again from where the results are.
void make_paths_absolute(Json& scenario, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::vector<std::string> pointers = {"/data/path", "/data/test_path", "/cluster/platform"};
  for (std::size_t i = 0; scenario.contains("plugins") && i < scenario["plugins"].size(); ++i) {
    pointers.push_back("/plugins/" + std::to_string(i));
  }
  for (const std::string& pointer : pointers) {
    const Json::json_pointer place(pointer);
    if (!scenario.contains(place) || !scenario[place].is_string()) continue;
    const std::string path = scenario[place];
    if (path.empty()) continue;
    const std::string whole = std::filesystem::absolute(folder / path).lexically_normal().string();
    if (!is_utf8(whole)) {
      throw InputError(Place{file, pointer},
                       "the path to it, " + valid_utf8(whole) +
                           ", is not UTF-8, so that the scenario kept with the results could not "
                           "name it: rename the folder");
    }
    scenario[place] = whole;
  }
}

std::string shown_point(const std::vector<Axis>& axes, const std::vector<Json>& point) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    text += (i > 0 ? ", " : "") + axes[i].pointer + " = " + point[i].dump();
  }
  return text;
}

/// What to write where a range has values between whole numbers and only these will do.
std::string whole_instead(const std::vector<Axis>& axes, const std::string& refusal) {
  constexpr std::size_t most = 12;
  for (const Axis& axis : axes) {
    if (refusal.find(axis.pointer + ": must be a whole number") == std::string::npos) continue;
    const std::vector<Json> whole = whole_values(axis.values);
    if (whole.size() <= most) return "; list whole numbers: " + Json(whole).dump();
  }
  return "";
}

/// As one part of another JSON pointer.
std::string escaped(const std::string& pointer) {
  std::string text;
  for (const char c : pointer) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return text;
}

/// Whether points along it may have more or fewer workers than others.
bool changes_worker_count(const Axis& axis) {
  const std::string& pointer = axis.pointer;
  const bool has_classes = std::ranges::count(pointer, '/') <= 3;  // /cluster/workers/0 or above
  return pointer == "/cluster" || pointer == "/cluster/platform" ||
         (pointer.starts_with("/cluster/workers") && (has_classes || pointer.ends_with("/count")));
}

/// Of how many values the axes of a sweep are, as far as that can be read in what is written.
std::vector<double> written_sizes(const Json& sweep) {
  std::vector<double> sizes;
  if (!sweep.is_object()) return sizes;
  for (const Json& values : sweep) {
    const Json steps = values.is_object() ? values.value("steps", Json(1)) : Json(1);
    if (values.is_array()) {
      sizes.push_back(static_cast<double>(values.size()));
    } else {
      sizes.push_back(steps.is_number() ? std::max(1.0, steps.get<double>()) : 1);
    }
  }
  return sizes;
}

double product_of(const std::vector<double>& sizes) {
  double product = 1;
  for (const double size : sizes) product *= size;
  return product;
}

/// How many workers a scenario asks for in its classes, as far as that can be read in what is written:
/// what is wrong there is told when it is checked.
double written_workers(const Json& scenario) {
  const Json::json_pointer place("/cluster/workers");
  if (!scenario.contains(place) || !scenario[place].is_array()) return 0;
  double workers = 0;
  for (const Json& kind : scenario[place]) {
    const Json count = kind.is_object() ? kind.value("count", Json(1)) : Json();
    if (count.is_number()) workers += std::max(0.0, count.get<double>());
  }
  return workers;
}

}  // namespace

/// Short enough for the files named by it: file systems take 255 bytes.
std::string as_file_name(const std::string& name) {
  constexpr std::size_t longest = 200;
  if (name.size() <= longest) return name;
  const std::string tail = "-" + digest(name).substr(0, 8);
  return name.substr(0, longest - tail.size()) + tail;
}

Study::Study(const std::string& file, const std::vector<Override>& overrides,
             const OnPoint& on_point, const std::vector<std::string>& plugins)
    : file_(file), written_(read_scenario(file, overrides)) {
  add_plugins(written_, plugins);
  load_plugins_of(written_, file);
  const Place root{file, ""};
  const Json sweep = written_.value("sweep", Json::object());
  check_size(written_sizes(sweep), 0);  // making the values of long ranges would take long
  axes_ = read_axes(sweep, root / "sweep");
  check_size(sizes(), 0);
  points_ = points_of(axes_);
  point_names_ = point_names(axes_);
  for (const Axis& axis : axes_) {
    table_.axes.push_back(axis.pointer);
    for (const Override& given : overrides) {
      if (given.pointer != axis.pointer) continue;
      throw InputError("--set " + given.pointer +
                       ": the scenario sweeps this value; set its list "
                       "instead: --set '/sweep/" +
                       escaped(axis.pointer) + "=[...]'");
    }
  }
  count_written_workers();
  plan_runs(on_point);
}

std::vector<double> Study::sizes() const {
  std::vector<double> sizes;
  for (const Axis& axis : axes_) sizes.push_back(static_cast<double>(axis.values.size()));
  return sizes;
}

double Study::points() const {
  return product_of(sizes());
}

double Study::tuning_runs_at_all_points(const Experiment& first) const {
  const TuneSpec tune = first.scenario().tune.value_or(TuneSpec());
  const auto tuned = std::ranges::count_if(first.runs(), [](const RunPlan& plan) {
    return std::ranges::any_of(plan.grids,
                               [](const TuneGrid& grid) { return grid.list.values.size() > 1; });
  });
  return static_cast<double>(tuned) * static_cast<double>(tune.runs) *
         (tune.at == TuneSpec::At::every_point ? points() : 1);
}

void Study::check_size(const std::vector<double>& sizes, double tuning_runs) const {
  std::ostringstream product;
  product << std::fixed << std::setprecision(0);
  for (std::size_t i = 0; i < sizes.size(); ++i) product << (i > 0 ? " x " : "") << sizes[i];
  const double points = product_of(sizes);
  const auto count = [this](const char* key) {
    const Json value = written_.value(key, Json());
    if (value.is_array()) return std::max(1.0, static_cast<double>(value.size()));
    return value.is_number() ? std::max(1.0, value.get<double>()) : 1.0;
  };
  const double runs = points * count("replicas") * count("algorithms");
  if (!(runs + tuning_runs > static_cast<double>(most_runs))) return;
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << "makes " << points
       << (points == 1 ? " point" : " points");
  if (sizes.size() > 1) text << " (" << product.str() << ")";
  text << " and " << runs << " runs";
  if (tuning_runs > 0) text << " after " << tuning_runs << " tuning runs";
  text << ": at most " << most_runs << (tuning_runs > 0 ? " of both together" : " runs")
       << ", since all are checked before the first begins, which shall take seconds";
  if (sizes.size() > 1)
    text << "; an axis for each algorithm's own parameter is what \"tune\" avoids";
  const Place root{file_, ""};
  const bool tuning_alone = tuning_runs > runs && sizes.empty();
  throw InputError(
      tuning_alone ? root / "tune" / "runs" : root / (sizes.empty() ? "replicas" : "sweep"),
      text.str());
}

/// Clusters are large, so that making one to count it would take long.
void Study::count_written_workers() const {
  if (points_.size() == 1) return;  // a single run may have any number
  if (std::ranges::none_of(axes_, changes_worker_count)) {
    check_workers(points_.size(), points() * written_workers(written_));
    return;
  }
  const Json cluster_alone = {{"cluster", written_.value("cluster", Json())}};
  double workers = 0;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    Json scenario = cluster_alone;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (!changes_worker_count(axes_[i])) continue;
      apply_override(scenario, {axes_[i].pointer, points_[point][i]},
                     Place{file_, ""} / "sweep" / axes_[i].pointer);
    }
    workers += written_workers(scenario);
    check_workers(point + 1, workers);
  }
}

void Study::check_workers(std::size_t points, double workers) const {
  if (!(workers > static_cast<double>(most_workers))) return;
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << "makes " << workers << " workers at "
       << (points < points_.size() ? "the first " + std::to_string(points) + " of " : "")
       << counted(points_.size(), "point") << ": at most " << most_workers
       << " together, since all are checked before the first run begins, which shall take seconds";
  throw InputError(Place{file_, ""} / (axes_.empty() ? "replicas" : "sweep"), text.str());
}

void Study::check_room_for_seeds(std::uint64_t seed, std::uint64_t more) const {
  constexpr auto largest = static_cast<std::uint64_t>(limits::largest_whole);
  if (seed <= largest - more) return;
  throw InputError(Place{file_, ""} / "seed",
                   "must be at most " + std::to_string(largest - more) +
                       ", since replicas and tuning take seeds up to " + std::to_string(more) +
                       " above it",
                   seed);
}

std::unique_ptr<Experiment> Study::load(std::size_t point, std::uint64_t replica) const {
  const Place sweep = Place{file_, ""} / "sweep";
  Json scenario = written_;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    apply_override(scenario, {axes_[i].pointer, points_[point][i]}, sweep / axes_[i].pointer);
  }
  std::unique_ptr<Experiment> experiment;
  at_point(point, [&] {
    LoadedScenario loaded = check_scenario(file_, std::move(scenario));
    if (replica > 0) {
      check_room_for_seeds(loaded.scenario.seed, replica);
      loaded.scenario.seed += replica;
      loaded.full["seed"] = loaded.scenario.seed;
    }
    experiment = std::make_unique<Experiment>(std::move(loaded), datasets_, platforms_);
  });
  return experiment;
}

void Study::at_point(std::size_t point, const std::function<void()>& check) const {
  try {
    check();
  } catch (const InputError& e) {
    if (axes_.empty()) throw;
    throw InputError(e, whole_instead(axes_, e.what()) + " (in the sweep, at " +
                            shown_point(axes_, points_[point]) + ")");
  }
}

void Study::plan_runs(const OnPoint& on_point) {
  double workers = 0;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    if (on_point) on_point(point, points_.size());
    loaded_ = load(point, 0);
    loaded_is_ = {point, 0};
    const Experiment& here = *loaded_;
    if (point == 0) {
      fill_in(here);
      check_size(sizes(), tuning_runs_at_all_points(here));
    }
    const std::uint64_t seed = here.scenario().seed;
    check_room_for_seeds(seed, replicas_ - 1);
    const double made = here.draws_speeds() ? static_cast<double>(replicas_) : 1;
    const double workers_here = made * static_cast<double>(here.cluster().workers.size());
    workers += workers_here;
    const bool all_alike = std::ranges::none_of(axes_, changes_worker_count);
    const std::size_t known = all_alike ? points_.size() : point + 1;
    // A single run may have any number.
    if (known > 1 || made > 1)
      check_workers(known, all_alike ? static_cast<double>(known) * workers_here : workers);
    // Only the seed differs from replica to replica: what it does not touch is checked once.
    std::vector<PlannedAlgorithm> algorithms;
    for (std::size_t i = 0; i < here.runs().size(); ++i)
      algorithms.push_back(planned(here, i, point));
    for (std::uint64_t replica = 0; replica < replicas_; ++replica) {
      if (replica > 0) at_point(point, [&] { here.check_seed(seed + replica); });
      for (std::size_t i = 0; i < algorithms.size(); ++i) {
        PlannedAlgorithm& algorithm = algorithms[i];
        algorithm.description["seed"] = seed + replica;
        RunEntry entry;
        entry.label = here.runs()[i].label;
        entry.name =
            as_file_name(entry.label + "-" + std::to_string(replica) + point_names_[point]);
        entry.hash = digest(algorithm.description.dump());
        if (algorithm.unit) {
          entry.before_tuning = digest(entry.hash + units_[*algorithm.unit].identity);
          entry.tuned_by = *algorithm.unit;
          entry.hash.clear();
          units_[*algorithm.unit].reported.push_back(places_.size());
        }
        entry.replica = replica;
        entry.seed = seed + replica;
        entry.point = points_[point];
        table_.runs.push_back(std::move(entry));
        places_.push_back({point, replica, i, algorithm.cost, algorithm.unit});
      }
    }
  }
  check_tuning_seeds();
}

Study::PlannedAlgorithm Study::planned(const Experiment& experiment, std::size_t algorithm,
                                       std::size_t point) {
  const RunPlan& plan = experiment.runs()[algorithm];
  const MemoryNeed need = memory_need_of(experiment, plan);
  if (need.bytes > memory_need_.bytes) memory_need_ = need;
  return {unit_for(experiment, algorithm, point), experiment.description_of(plan),
          expected_cost(experiment, plan)};
}

void Study::fill_in(const Experiment& first) {
  name_ = first.scenario().name;
  table_.baseline = first.baseline();
  replicas_ = first.scenario().replicas;
  algorithms_ = first.runs().size();
  first_described_ = described_experiment(first);
  full_ = first.full();
  for (const Axis& axis : axes_) {
    const Json::json_pointer pointer(axis.pointer);
    const Json::json_pointer beside = pointer.parent_pointer();
    const Json::json_pointer restored = beside.empty() ? pointer : beside;
    if (written_.contains(restored)) {
      full_[restored] = written_[restored];
    } else if (beside.empty()) {
      full_.erase(pointer.back());
    }
    Json values = axis.values;
    for (Json& value : values) {
      Json alone;
      alone[pointer] = value;
      make_paths_absolute(alone, file_);
      value = alone[pointer];
    }
    full_["sweep"][axis.pointer] = values;
  }
  make_paths_absolute(full_, file_);
}

const Experiment& Study::loaded(std::size_t point, std::uint64_t replica) const {
  const std::pair<std::size_t, std::uint64_t> wanted = {point, replica};
  if (!loaded_ || loaded_is_ != wanted) {
    loaded_ = load(point, replica);
    loaded_is_ = wanted;
  }
  return *loaded_;
}

const Experiment& Study::experiment(std::size_t run) const {
  return loaded(places_[run].point, places_[run].replica);
}

RunPlan Study::plan(std::size_t run) const {
  const RunOrigin& origin = places_[run];
  const Experiment& here = experiment(run);
  return origin.values.is_null() ? here.runs()[origin.algorithm]
                                 : here.with_values(origin.algorithm, origin.values);
}

Json Study::description(std::size_t run) const {
  return experiment(run).description_of(plan(run));
}

std::string Study::describe() const {
  std::ostringstream text;
  text << name_ << ": " << counted(size(), "run");
  const bool product = size() == points_.size() * replicas_ * algorithms_;
  if (product && size() > algorithms_) {
    text << " (" << counted(points_.size(), "point") << " x " << counted(replicas_, "replica")
         << " x " << counted(algorithms_, "algorithm") << ")";
  }
  std::set<std::string> different;
  for (const RunEntry& run : table_.runs) different.insert(run.identity());
  if (different.size() < size()) text << ", " << different.size() << " of them different";
  if (!units_.empty()) text << ", after " << counted(tuning_runs_of(units_), "tuning run");
  text << ", " << (points_.size() > 1 ? "at the first point " : "") << first_described_;
  text << describe_tuning(units_, table_.runs);
  return text.str();
}

}  // namespace motley
