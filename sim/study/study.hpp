#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/run_store.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/study/experiment.hpp"
#include "sim/study/memory_need.hpp"
#include "sim/study/tuning/tuning_unit.hpp"

namespace motley {

/// All runs that a scenario asks for: every algorithm at every point of its sweep, in every
/// replica. Replica r has the scenario's seed + r, so that all algorithms meet the same data order,
/// initial model and slow-downs in it.
///
/// What is tuned is not known at first: the parameters of those runs, and so their hashes, are found
/// by further runs, on seeds of their own. Those are numbered after the reported ones, as they come
/// to be needed: see advance().
class Study {
 public:
  /// With those of the tuning. More could not be checked within seconds.
  static constexpr std::size_t most_runs = 20'000;
  /// Of all points together, each in every replica that draws its speeds; for the same reason.
  static constexpr std::size_t most_workers = 20'000'000;

  /// Told before each point is checked: how many have been, and how many there are.
  using OnPoint = std::function<void(std::size_t checked, std::size_t points)>;

  /// Checks every point. Throws InputError for any mistake; nothing has been written then. Plug-ins are
  /// those that are loaded beside the scenario's own.
  Study(const std::string& file, const std::vector<Override>& overrides,
        const OnPoint& on_point = {}, const std::vector<std::string>& plugins = {});

  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }
  /// The scenario with every default filled in, the algorithms' too; but what stands beside a swept
  /// value stays as it was written, since its defaults may depend on that value.
  const Json& full() const { return full_; }
  /// The runs in the order of the results: by point, then replica, then algorithm. Runs that
  /// differ in nothing but their names have the same hash and are done once.
  const RunTable& table() const { return table_; }
  /// How many runs are reported. They have the numbers below that; runs of the tuning those above.
  std::size_t size() const { return table_.runs.size(); }
  const RunEntry& entry(std::size_t run) const {
    return run < size() ? table_.runs[run] : tuning_runs_[run - size()];
  }
  /// How much work a run is expected to be, in flops; only its proportions matter.
  double cost(std::size_t run) const { return places_[run].cost; }
  std::string describe() const;
  /// Of the run that needs most.
  const MemoryNeed& memory_need() const { return memory_need_; }

  /// The experiment a run belongs to, valid until another one is asked for.
  const Experiment& experiment(std::size_t run) const;
  RunPlan plan(std::size_t run) const;
  /// All that decides the result of a run: what its hash is made of.
  Json description(std::size_t run) const;

  /// What is tuned, each by itself.
  const std::vector<TuningUnit>& units() const { return units_; }
  /// The unit that chooses the parameters of a reported run, if one does; or whose run it is.
  std::optional<std::size_t> unit_of(std::size_t run) const { return places_[run].unit; }
  /// The result of the run with this hash; nullptr when there is none.
  using Results = std::function<const RunResult*(const std::string& hash)>;
  /// Goes on with the tuning of a unit as far as the results allow. Returns the runs whose results
  /// it needs next; when there are none the values are chosen, and its reported runs have a hash.
  std::vector<std::size_t> advance(std::size_t unit, const Results& results);

 private:
  struct RunOrigin {
    std::size_t point;
    std::uint64_t replica;  ///< what is added to the scenario's seed
    std::size_t algorithm;
    double cost;
    std::optional<std::size_t> unit = {};  ///< that it waits for or belongs to
    Json values = {};                      ///< of tuned parameters
  };

  /// What all replicas of an algorithm at a point have in common.
  struct PlannedAlgorithm {
    std::optional<std::size_t> unit;
    Json description;  ///< but for the seed
    double cost;
  };

  std::unique_ptr<Experiment> load(std::size_t point, std::uint64_t replica) const;
  /// Does it, and says at which point when it refuses something.
  void at_point(std::size_t point, const std::function<void()>& check) const;
  /// InputError when axes of these sizes and so many runs of the tuning make it too large.
  void check_size(const std::vector<double>& sizes, double tuning_runs) const;
  std::vector<double> sizes() const;
  double points() const;
  double tuning_runs_at_all_points(const Experiment& first) const;
  void plan_runs(const OnPoint& on_point);
  PlannedAlgorithm planned(const Experiment& experiment, std::size_t algorithm, std::size_t point);
  void fill_in(const Experiment& first);
  /// The unit that tunes this algorithm at this point, new or the same as an earlier one's; none
  /// when nothing of it is tuned.
  std::optional<std::size_t> unit_for(const Experiment& experiment, std::size_t algorithm,
                                      std::size_t point);
  void check_tuning_seeds() const;
  /// InputError when the first so many points have too many workers.
  void check_workers(std::size_t points, double workers) const;
  void count_written_workers() const;
  /// InputError unless there are so many seeds above this one.
  void check_room_for_seeds(std::uint64_t seed, std::uint64_t more) const;
  /// The run of a unit with these values on its k-th tuning seed.
  std::size_t trial(std::size_t unit, const std::vector<Json>& values, std::size_t k);
  void record(std::size_t unit);
  void settle(std::size_t unit, const Json& values);
  const Experiment& loaded(std::size_t point, std::uint64_t replica) const;

  std::string file_;
  Json written_;  // with the overrides, before any default is filled in
  std::string name_;
  Json full_;
  std::vector<Axis> axes_;
  std::vector<std::vector<Json>> points_;
  std::vector<std::string> point_names_;
  RunTable table_;
  std::vector<TuningUnit> units_;
  std::map<std::string, std::size_t> unit_by_identity_;
  std::vector<RunEntry> tuning_runs_;
  std::vector<RunOrigin> places_;
  std::string first_described_;
  std::uint64_t replicas_ = 1;
  std::size_t algorithms_ = 0;
  MemoryNeed memory_need_;

  // Loading an experiment is quick once its data is there, and a large cluster is large.
  mutable SharedDatasets datasets_;
  mutable SharedPlatforms platforms_;
  mutable std::unique_ptr<Experiment> loaded_;
  mutable std::pair<std::size_t, std::uint64_t> loaded_is_;
};

/// A name that files can have: shortened, and told from others by a digest, when it is too long.
std::string as_file_name(const std::string& name);

}  // namespace motley
